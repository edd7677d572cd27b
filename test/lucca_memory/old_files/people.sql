PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE feedback (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        verdict TEXT NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        recalled TEXT NOT NULL,
        time INTEGER NOT NULL
    );
INSERT INTO "feedback" VALUES(1,1,'good','My gym is called Steelhouse.','I see.','[]',1795451824323523);
CREATE TABLE forgotten (
        line INTEGER PRIMARY KEY,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        conversation TEXT NOT NULL,
        speaker TEXT NOT NULL,
        answers INTEGER NOT NULL,
        time INTEGER NOT NULL,
        recalled TEXT NOT NULL,
        text TEXT NOT NULL,
        reason TEXT NOT NULL,
        put_away INTEGER NOT NULL
    );
INSERT INTO "forgotten" VALUES(3,1,'c','Anna',0,1767607200000000,'','The kiln is in Ulm.','by request',1767621600000000);
CREATE TABLE line (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        conversation TEXT NOT NULL,
        speaker TEXT NOT NULL,
        answers INTEGER NOT NULL,
        time INTEGER NOT NULL,
        recalled TEXT NOT NULL,
        text TEXT NOT NULL
    );
INSERT INTO "line" VALUES(1,1,'c','Anna',0,1767603600000000,'','My gym is called Ironworks.');
INSERT INTO "line" VALUES(2,1,'c','robot',1,1767603600000000,'','I see.');
INSERT INTO "line" VALUES(4,1,'c','robot',1,1767607200000000,'','I see.');
INSERT INTO "line" VALUES(5,1,'c','Anna',0,1767610800000000,'','My gym is called Steelhouse.');
INSERT INTO "line" VALUES(6,1,'c','robot',1,1767610800000000,'','I see.');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('uid','2b707d377e78c81c15d9418f3006df3b');
CREATE TABLE person (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL UNIQUE,
        since INTEGER NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        summarized INTEGER NOT NULL DEFAULT 0
    );
INSERT INTO "person" VALUES(1,'Anna','anna',1795451824051799,1,2);
CREATE TABLE summary (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        text TEXT NOT NULL,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        time INTEGER NOT NULL
    );
INSERT INTO "summary" VALUES(1,1,'Anna has a gym.',1,2,1767618000000000);
CREATE TABLE vector (
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        spec TEXT NOT NULL,
        line INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (person, spec, line)
    ) WITHOUT ROWID;
INSERT INTO "vector" VALUES(1,'hashed',1,X'2E2D4A30633468AD52B33BBBED301122');
INSERT INTO "vector" VALUES(1,'hashed',2,X'DCB8303574B1FDABE5377EB4482F5AB6');
INSERT INTO "vector" VALUES(1,'hashed',4,X'DCB8303574B1FDABE5377EB4482F5AB6');
INSERT INTO "vector" VALUES(1,'hashed',5,X'5AA5BC34853494ACA7B2A3BAF824F134');
INSERT INTO "vector" VALUES(1,'hashed',6,X'DCB8303574B1FDABE5377EB4482F5AB6');
CREATE INDEX line_of_person ON line (person, id);
CREATE INDEX summary_of_person ON summary (person, id);
CREATE INDEX forgotten_of_person ON forgotten (person, put_away);
CREATE INDEX feedback_of_person ON feedback (person, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('person',1);
INSERT INTO "sqlite_sequence" VALUES('line',6);
INSERT INTO "sqlite_sequence" VALUES('feedback',1);
INSERT INTO "sqlite_sequence" VALUES('summary',1);
COMMIT;
