"""Tiny models of the real classes with random weights, written to disk with tokenizer and processor; no download."""

import warnings
from pathlib import Path

SMALL = {'hidden_size': 16, 'intermediate_size': 32, 'num_hidden_layers': 1, 'num_attention_heads': 2}


def save_clip_tokenizer(length: int, folder: Path):
    """CLIP's own kind of tokenizer, with letters as its vocabulary."""
    from transformers import CLIPTokenizer
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = [*bytes_to_unicode().values()]
    # The first number is for padding: OWL takes a query that begins with it for none.
    names = [*letters, *(f'{letter}</w>' for letter in letters), '<|startoftext|>', '<|endoftext|>']
    tokenizer = CLIPTokenizer(
        vocab={name: number for number, name in enumerate(names)}, merges=[], model_max_length=length
    )
    tokenizer.save_pretrained(folder)
    return tokenizer


def text(tokenizer, length: int) -> dict:
    return {
        **SMALL,
        'vocab_size': len(tokenizer),
        'max_position_embeddings': length,
        'bos_token_id': len(tokenizer) - 2,
        'eos_token_id': len(tokenizer) - 1,
        'pad_token_id': len(tokenizer) - 1,
    }


def save_owl(folder: Path, version: str) -> None:
    """OWL-ViT ('owlvit') or OWLv2 ('owlv2')."""
    import torch
    import transformers

    names = {'owlvit': ('OwlViT', 'OwlViTImageProcessorPil'), 'owlv2': ('Owlv2', 'Owlv2ImageProcessorPil')}
    prefix, pictures = names[version]
    torch.manual_seed(0)
    tokenizer = save_clip_tokenizer(16, folder)
    config = getattr(transformers, f'{prefix}Config')(
        text_config=text(tokenizer, 16),
        vision_config={**SMALL, 'image_size': 64, 'patch_size': 16},
        projection_dim=16,
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        getattr(transformers, f'{prefix}ForObjectDetection')(config).save_pretrained(folder)
    size = {'height': 64, 'width': 64}
    processor = getattr(transformers, pictures)(size=size)
    getattr(transformers, f'{prefix}Processor')(image_processor=processor, tokenizer=tokenizer).save_pretrained(folder)


def save_grounding_dino(folder: Path) -> None:
    """Grounding DINO with a Swin of one block a stage and a BERT of one layer."""
    import torch
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessorPil,
        GroundingDinoProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    letters = 'abcdefghijklmnopqrstuvwxyz.'
    names = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', *letters, *(f'##{letter}' for letter in letters)]
    tokenizer = BertTokenizer(vocab={name: number for number, name in enumerate(names)}, model_max_length=256)
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64,
            embed_dim=8,
            depths=[1, 1, 1, 1],
            num_heads=[1, 1, 2, 2],
            window_size=4,
            out_features=['stage2', 'stage3', 'stage4'],
        ),
        text_config=BertConfig(**SMALL, vocab_size=len(names), max_position_embeddings=256),
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        num_queries=20,
        max_text_len=64,
        disable_custom_kernels=True,
    )
    GroundingDinoForObjectDetection(config).save_pretrained(folder)
    pictures = GroundingDinoImageProcessorPil(size={'shortest_edge': 64, 'longest_edge': 96})
    GroundingDinoProcessor(image_processor=pictures, tokenizer=tokenizer).save_pretrained(folder)


def save_clip(folder: Path) -> None:
    """CLIP."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor

    torch.manual_seed(0)
    tokenizer = save_clip_tokenizer(77, folder)
    config = CLIPConfig(
        text_config=text(tokenizer, 77),
        vision_config={**SMALL, 'image_size': 32, 'patch_size': 16},
        projection_dim=16,
    )
    CLIPModel(config).save_pretrained(folder)
    pictures = CLIPImageProcessorPil(size={'shortest_edge': 32}, crop_size={'height': 32, 'width': 32})
    CLIPProcessor(image_processor=pictures, tokenizer=tokenizer).save_pretrained(folder)
