// When a hand in Gazebo holds an object: the rule of lucca_sim's GripTracker and PinchTracker, without Gazebo.
//
// One thing differs: in Gazebo what is held becomes a part of the robot, whose parts do not touch each other. Contacts
// therefore cannot say that a grasp was lost; it ends when the hand is asked to open.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace lucca
{
using Object = std::uint64_t;

enum class Grip { Open, Closing, Closed };

/// Follows how far one hand is asked to close, and is closed: 0 open to 1 closed.
class GripTracker
{
  public: explicit GripTracker(double _closedAbove) : closedAbove(_closedAbove) {}

  /// The grip at a time in s. `_asked` is the least of the fingers' joints, `_measured` their mean.
  public: Grip Update(double _asked, double _measured, double _timeS)
  {
    if (_asked > this->asked + 1e-6)
      this->changedS = _timeS;
    else if (_asked < this->asked - 1e-6)
      this->changedS = -std::numeric_limits<double>::infinity();
    this->asked = _asked;
    if (_asked <= this->closedAbove)
      this->grip = Grip::Open;
    else if (_timeS - this->changedS > kSettleS)
      this->grip = Grip::Closed;
    else if (_measured > 0.5 * this->closedAbove)
      this->grip = Grip::Closing;
    return this->grip;
  }

  private: static constexpr double kSettleS = 1.0;
  private: double closedAbove;
  private: double asked = 0.0;
  private: double changedS = 0.0;
  private: Grip grip = Grip::Open;
};

/// Follows what one hand holds.
class PinchTracker
{
  /// The object held after one look. `_pinched`: the widest angle in rad between contact normals at two different
  /// finger links, by object. `_taken`: what other hands hold.
  public: std::optional<Object> Update(Grip _grip, double _asked, const std::map<Object, double> &_pinched,
                                       const std::set<Object> &_taken)
  {
    if (this->held)
    {
      if (_grip == Grip::Open || _asked < this->askedThen - kOpened)
      {
        this->held.reset();
        this->looks = 0;
      }
      return this->held;
    }
    const auto best = _grip == Grip::Closing ? Widest(_pinched, _taken) : std::nullopt;
    this->looks = !best ? 0 : (this->looks > 0 && this->candidate == *best ? this->looks + 1 : 1);
    this->candidate = best.value_or(0);
    if (this->looks >= kLooks)
    {
      this->held = best;
      this->askedThen = _asked;
    }
    return this->held;
  }

  private: static std::optional<Object> Widest(const std::map<Object, double> &_pinched, const std::set<Object> &_taken)
  {
    std::optional<Object> best;
    double widest = kOpposedRad;
    for (const auto &[object, angle] : _pinched)
    {
      // Of equal angles the first one.
      if (_taken.count(object) == 0 && (best ? angle > widest : angle >= widest))
      {
        best = object;
        widest = angle;
      }
    }
    return best;
  }

  private: static constexpr double kOpposedRad = 120.0 * M_PI / 180.0;
  private: static constexpr double kOpened = 1e-3;
  private: static constexpr int kLooks = 2;
  private: std::optional<Object> held;
  private: double askedThen = 0.0;
  private: Object candidate = 0;
  private: int looks = 0;
};
}  // namespace lucca
