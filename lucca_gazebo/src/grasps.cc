// A Gazebo system for the robot's model: starts it at home, lets its hands hold objects, and lets round objects rest.
//
// A hand that closes takes what two different finger links touch from opposite sides (pinch_rule.hpp): a fixed joint
// between palm and object. Physics then no longer knows contacts between hand and object, so the fingers stand still
// until the hand is asked to open beyond where it was asked to be.
//
// One source for Gazebo Harmonic (gz) and Fortress (ignition). lucca_sim/sdf.py writes the element that it reads:
//   <hand> <name> <palm> <setpoints> <closed_above> <joint><name><open><closed><stiffness></joint>… <finger>… </hand>…
//     with gz_ros2_control, <servo_per_s> in place of <setpoints> and <stiffness>
//   <start> <joint> <position> </start>…
//   <follower> <joint> <leader> <multiplier> <offset> <stiffness> </follower>…    for joints without a controller
//   <round> <model> <rolling_m> </round>…    rolling friction, as a lever arm in m: Gazebo's physics has none

#if __has_include(<gz/sim/System.hh>)
#include <gz/msgs/contacts.pb.h>
#include <gz/msgs/joint_trajectory.pb.h>
#include <gz/common/Console.hh>
#include <gz/plugin/Register.hh>
#include <gz/sim/Link.hh>
#include <gz/sim/Model.hh>
#include <gz/sim/System.hh>
#include <gz/sim/Util.hh>
#include <gz/sim/components/AngularVelocity.hh>
#include <gz/sim/components/Collision.hh>
#include <gz/sim/components/ContactSensorData.hh>
#include <gz/sim/components/DetachableJoint.hh>
#include <gz/sim/components/Inertial.hh>
#include <gz/sim/components/JointForceCmd.hh>
#include <gz/sim/components/JointPosition.hh>
#include <gz/sim/components/JointPositionReset.hh>
#include <gz/sim/components/JointVelocityCmd.hh>
#include <gz/sim/components/Link.hh>
#include <gz/sim/components/Model.hh>
#include <gz/sim/components/Name.hh>
#include <gz/sim/components/ParentEntity.hh>
#include <gz/sim/components/Pose.hh>
#include <gz/sim/components/Static.hh>
#include <gz/transport/Node.hh>
namespace sim = gz::sim;
namespace msgs = gz::msgs;
namespace maths = gz::math;
namespace transport = gz::transport;
#define LUCCA_ERROR gzerr
#define LUCCA_MESSAGE gzmsg
#define LUCCA_ADD_PLUGIN GZ_ADD_PLUGIN
#else
#include <ignition/msgs/contacts.pb.h>
#include <ignition/msgs/joint_trajectory.pb.h>
#include <ignition/common/Console.hh>
#include <ignition/gazebo/Link.hh>
#include <ignition/gazebo/Model.hh>
#include <ignition/gazebo/System.hh>
#include <ignition/gazebo/Util.hh>
#include <ignition/gazebo/components/AngularVelocity.hh>
#include <ignition/gazebo/components/Collision.hh>
#include <ignition/gazebo/components/ContactSensorData.hh>
#include <ignition/gazebo/components/DetachableJoint.hh>
#include <ignition/gazebo/components/Inertial.hh>
#include <ignition/gazebo/components/JointForceCmd.hh>
#include <ignition/gazebo/components/JointPosition.hh>
#include <ignition/gazebo/components/JointPositionReset.hh>
#include <ignition/gazebo/components/JointVelocityCmd.hh>
#include <ignition/gazebo/components/Link.hh>
#include <ignition/gazebo/components/Model.hh>
#include <ignition/gazebo/components/Name.hh>
#include <ignition/gazebo/components/ParentEntity.hh>
#include <ignition/gazebo/components/Pose.hh>
#include <ignition/gazebo/components/Static.hh>
#include <ignition/plugin/Register.hh>
#include <ignition/transport/Node.hh>
namespace sim = ignition::gazebo;
namespace msgs = ignition::msgs;
namespace maths = ignition::math;
namespace transport = ignition::transport;
#define LUCCA_ERROR ignerr
#define LUCCA_MESSAGE ignmsg
#define LUCCA_ADD_PLUGIN IGNITION_ADD_PLUGIN
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pinch_rule.hpp"

namespace lucca
{
namespace components = sim::components;

struct FingerJoint
{
  std::string name;
  double open = 0.0;
  double closed = 0.0;
  double stiffness = 0.0;
  sim::Entity entity = sim::kNullEntity;
  /// How far it is asked to go, in rad or m.
  double asked = 0.0;
  /// Where it stands still while the hand holds something.
  std::optional<double> halted;

  bool Closes() const { return std::abs(this->closed - this->open) > 1e-6; }
  double Closing(double _position) const { return (_position - this->open) / (this->closed - this->open); }
};

struct Hand
{
  explicit Hand(double _closedAbove) : grip(_closedAbove) {}

  std::string name;
  sim::Entity palm = sim::kNullEntity;
  std::vector<FingerJoint> joints;
  /// Velocity that gz_ros2_control commands a joint, over its distance, in 1/s; 0 where setpoints move the hand.
  double servoPerS = 0.0;
  /// Collisions of the fingers, each with its link.
  std::map<sim::Entity, sim::Entity> fingers;
  GripTracker grip;
  PinchTracker pinch;
  std::optional<Object> held;
  sim::Entity joint = sim::kNullEntity;
  /// Guards what is asked of the joints: setpoints arrive in a thread of their own.
  std::mutex mutex;
};

struct Follower
{
  sim::Entity entity = sim::kNullEntity;
  sim::Entity leader = sim::kNullEntity;
  double multiplier = 1.0;
  double offset = 0.0;
  double stiffness = 0.0;
};

/// An object that could roll, and how it lay when it last came to rest.
struct Round
{
  std::string model;
  double rollingM = 0.0;
  sim::Entity link = sim::kNullEntity;
  std::optional<maths::Quaterniond> rest;
};

class Grasps : public sim::System, public sim::ISystemConfigure, public sim::ISystemPreUpdate
{
  public: void Configure(const sim::Entity &_entity, const std::shared_ptr<const sdf::Element> &_sdf,
                         sim::EntityComponentManager &_ecm, sim::EventManager &) override
  {
    this->model = sim::Model(_entity);
    if (!this->model.Valid(_ecm))
    {
      LUCCA_ERROR << "lucca_grasps belongs into a model.\n";
      return;
    }
    auto root = std::const_pointer_cast<sdf::Element>(_sdf);
    for (auto each = root->FindElement("hand"); each; each = each->GetNextElement("hand"))
      this->AddHand(each, _ecm);
    for (auto each = root->FindElement("start"); each; each = each->GetNextElement("start"))
      this->starts[this->Joint(each, "joint", _ecm)] = each->Get<double>("position");
    for (auto each = root->FindElement("follower"); each; each = each->GetNextElement("follower"))
    {
      Follower follower{this->Joint(each, "joint", _ecm), this->Joint(each, "leader", _ecm)};
      follower.multiplier = each->Get<double>("multiplier");
      follower.offset = each->Get<double>("offset");
      follower.stiffness = each->Get<double>("stiffness");
      this->followers.push_back(follower);
      this->Position(follower.leader, _ecm);
    }
    for (auto each = root->FindElement("round"); each; each = each->GetNextElement("round"))
      this->rounds.push_back({each->Get<std::string>("model"), each->Get<double>("rolling_m")});
    this->starts.erase(sim::kNullEntity);
    LUCCA_MESSAGE << "lucca_grasps: " << this->hands.size() << " hands, " << this->starts.size()
                  << " joints start at home.\n";
  }

  public: void PreUpdate(const sim::UpdateInfo &_info, sim::EntityComponentManager &_ecm) override
  {
    for (const auto &[joint, position] : this->starts)
      _ecm.SetComponentData<components::JointPositionReset>(joint, {position});
    this->starts.clear();
    if (_info.paused)
      return;
    const double now = std::chrono::duration<double>(_info.simTime).count();
    if (now < this->lookedS)
      this->lookedS = now - kLookEveryS;  // time went back
    if (now >= this->lookedS + kLookEveryS - 1e-9)
    {
      this->lookedS = now;
      for (auto &hand : this->hands)
        this->Look(*hand, now, _ecm);
    }
    // After the controllers, which stand before this system in the file.
    for (auto &hand : this->hands)
      for (auto &joint : hand->joints)
        if (joint.halted && hand->servoPerS > 0.0)
          // Not by a force: physics would ignore every velocity command after it.
          _ecm.SetComponentData<components::JointVelocityCmd>(joint.entity, {0.0});
        else if (joint.halted)
          Force(joint.entity, joint.stiffness * (*joint.halted - this->Position(joint.entity, _ecm)), _ecm);
    for (const auto &each : this->followers)
    {
      const double wanted = each.multiplier * this->Position(each.leader, _ecm) + each.offset;
      Force(each.entity, each.stiffness * (wanted - this->Position(each.entity, _ecm)), _ecm);
    }
    const double step = std::chrono::duration<double>(_info.dt).count();
    for (auto &each : this->rounds)
      this->Brake(each, step, _ecm);
  }

  /// Rolling friction: what touches something is turned back to how it lay, by no more than its weight times a lever.
  private: void Brake(Round &_round, double _stepS, sim::EntityComponentManager &_ecm)
  {
    if (_round.link == sim::kNullEntity && !this->Find(_round, _ecm))
      return;
    const auto *pose = _ecm.Component<components::WorldPose>(_round.link);
    const auto *turning = _ecm.Component<components::WorldAngularVelocity>(_round.link);
    if (!pose || !turning || !Touches(_round.link, _ecm) || this->IsHeld(_round.link))
    {
      _round.rest.reset();
      return;
    }
    const auto now = pose->Data().Rot();
    if (!_round.rest)
      _round.rest = now;
    const auto mass = _ecm.Component<components::Inertial>(_round.link)->Data().MassMatrix();
    const double inertia = mass.PrincipalMoments().Min();
    // As stiff and as damped as a step allows that applies both for its whole length.
    const double stiffness = 0.1 * inertia / (_stepS * _stepS), damping = 0.3 * inertia / _stepS;
    const double most = _round.rollingM * mass.Mass() * kGravity;
    auto turned = RotationVector(now * _round.rest->Inverse());
    if (stiffness * turned.Length() > most)
    {
      // It rolls on: friction opposes it, and where it lay moves along.
      turned = turned.Normalized() * (most / stiffness);
      _round.rest = maths::Quaterniond(turned.Normalized(), turned.Length()).Inverse() * now;
    }
    maths::Vector3d torque = -stiffness * turned - damping * turning->Data();
    if (torque.Length() > most)
      torque = torque.Normalized() * most;
    sim::Link(_round.link).AddWorldWrench(_ecm, maths::Vector3d::Zero, torque);
  }

  private: bool Find(Round &_round, sim::EntityComponentManager &_ecm)
  {
    const auto model = _ecm.EntityByComponents(components::Model(), components::Name(_round.model));
    const auto links = _ecm.ChildrenByComponents(model, components::Link());
    if (model == sim::kNullEntity || links.empty())
      return false;
    _round.link = links.front();
    sim::Link(_round.link).EnableVelocityChecks(_ecm);
    for (const auto collision : _ecm.ChildrenByComponents(_round.link, components::Collision()))
      if (!_ecm.Component<components::ContactSensorData>(collision))
        _ecm.CreateComponent(collision, components::ContactSensorData());
    return true;
  }

  private: static bool Touches(sim::Entity _link, sim::EntityComponentManager &_ecm)
  {
    for (const auto collision : _ecm.ChildrenByComponents(_link, components::Collision()))
    {
      const auto *contacts = _ecm.Component<components::ContactSensorData>(collision);
      if (contacts && contacts->Data().contact_size() > 0)
        return true;
    }
    return false;
  }

  private: bool IsHeld(sim::Entity _link) const
  {
    return std::any_of(this->hands.begin(), this->hands.end(),
                       [&](const auto &_hand) { return _hand->held && *_hand->held == _link; });
  }

  private: static maths::Vector3d RotationVector(const maths::Quaterniond &_turn)
  {
    const double sign = _turn.W() < 0.0 ? -1.0 : 1.0;
    const maths::Vector3d axis(sign * _turn.X(), sign * _turn.Y(), sign * _turn.Z());
    const double sine = axis.Length();
    return sine < 1e-12 ? 2.0 * axis : axis / sine * (2.0 * std::atan2(sine, sign * _turn.W()));
  }

  private: void AddHand(const sdf::ElementPtr &_sdf, sim::EntityComponentManager &_ecm)
  {
    auto hand = std::make_unique<Hand>(_sdf->Get<double>("closed_above"));
    hand->name = _sdf->Get<std::string>("name");
    hand->servoPerS = _sdf->Get<double>("servo_per_s");
    hand->palm = this->model.LinkByName(_ecm, _sdf->Get<std::string>("palm"));
    for (auto each = _sdf->FindElement("joint"); each; each = each->GetNextElement("joint"))
    {
      FingerJoint joint;
      joint.name = each->Get<std::string>("name");
      joint.open = joint.asked = each->Get<double>("open");
      joint.closed = each->Get<double>("closed");
      joint.stiffness = each->Get<double>("stiffness");
      joint.entity = this->Joint(each, "name", _ecm);
      this->Position(joint.entity, _ecm);
      hand->joints.push_back(joint);
    }
    for (auto each = _sdf->FindElement("finger"); each; each = each->GetNextElement("finger"))
    {
      const auto link = this->model.LinkByName(_ecm, each->Get<std::string>());
      for (const auto collision : _ecm.ChildrenByComponents(link, components::Collision()))
      {
        hand->fingers[collision] = link;
        if (!_ecm.Component<components::ContactSensorData>(collision))
          _ecm.CreateComponent(collision, components::ContactSensorData());
      }
    }
    const bool lacks = std::any_of(hand->joints.begin(), hand->joints.end(),
                                   [](const FingerJoint &_joint) { return _joint.entity == sim::kNullEntity; });
    if (hand->palm == sim::kNullEntity || hand->fingers.empty() || lacks)
    {
      LUCCA_ERROR << "lucca_grasps: hand [" << hand->name << "] names a palm, finger or joint that the model lacks.\n";
      return;
    }
    if (hand->servoPerS > 0.0)
    {
      this->hands.push_back(std::move(hand));
      return;
    }
    Hand *const told = hand.get();
    std::function<void(const msgs::JointTrajectory &)> heard =
        [told](const msgs::JointTrajectory &_msg) { Ask(*told, _msg); };
    if (!this->node.Subscribe(_sdf->Get<std::string>("setpoints"), heard))
      LUCCA_ERROR << "lucca_grasps: cannot listen on [" << _sdf->Get<std::string>("setpoints") << "].\n";
    this->hands.push_back(std::move(hand));
  }

  private: static void Ask(Hand &_hand, const msgs::JointTrajectory &_msg)
  {
    if (_msg.points_size() == 0)
      return;
    const auto &last = _msg.points(_msg.points_size() - 1);
    const std::lock_guard<std::mutex> lock(_hand.mutex);
    for (int i = 0; i < std::min(_msg.joint_names_size(), last.positions_size()); ++i)
      for (auto &joint : _hand.joints)
        if (joint.name == _msg.joint_names(i))
          joint.asked = last.positions(i);
  }

  /// What gz_ros2_control asks of a hand: at each step, it commands the distance to it, times a gain, as a velocity.
  private: static void Infer(Hand &_hand, sim::EntityComponentManager &_ecm)
  {
    for (auto &joint : _hand.joints)
    {
      const auto *position = _ecm.Component<components::JointPosition>(joint.entity);
      const auto *velocity = _ecm.Component<components::JointVelocityCmd>(joint.entity);
      if (position && velocity && !position->Data().empty() && !velocity->Data().empty())
        joint.asked = position->Data()[0] + velocity->Data()[0] / _hand.servoPerS;
    }
  }

  private: void Look(Hand &_hand, double _nowS, sim::EntityComponentManager &_ecm)
  {
    if (_hand.servoPerS > 0.0)
      Infer(_hand, _ecm);
    double asked = 1.0, sum = 0.0;
    int count = 0;
    {
      const std::lock_guard<std::mutex> lock(_hand.mutex);
      for (const auto &joint : _hand.joints)
      {
        if (!joint.Closes())
          continue;
        asked = std::min(asked, joint.Closing(joint.asked));
        sum += joint.Closing(this->Position(joint.entity, _ecm));
        ++count;
      }
    }
    std::set<Object> taken;
    for (const auto &other : this->hands)
      if (other.get() != &_hand && other->held)
        taken.insert(*other->held);
    const auto grip = _hand.grip.Update(asked, count ? sum / count : 0.0, _nowS);
    const auto now = _hand.pinch.Update(grip, asked, this->Pinched(_hand, _ecm), taken);
    if (now == _hand.held)
      return;
    if (_hand.joint != sim::kNullEntity)
      _ecm.RequestRemoveEntity(_hand.joint);
    _hand.joint = sim::kNullEntity;
    _hand.held = now;
    if (now)
    {
      _hand.joint = _ecm.CreateEntity();
      _ecm.CreateComponent(_hand.joint, components::DetachableJoint({_hand.palm, sim::Entity(*now), "fixed"}));
    }
    for (auto &joint : _hand.joints)
      joint.halted = now ? std::optional<double>(this->Position(joint.entity, _ecm)) : std::nullopt;
    LUCCA_MESSAGE << "lucca_grasps: hand [" << _hand.name << "] " << (now ? "holds" : "let go of") << " something at "
                  << _nowS << " s\n";
  }

  /// The widest angle in rad between contact normals at two different finger links, by link of an object.
  private: std::map<Object, double> Pinched(const Hand &_hand, sim::EntityComponentManager &_ecm)
  {
    std::map<Object, std::vector<std::pair<sim::Entity, maths::Vector3d>>> touching;
    for (const auto &[collision, link] : _hand.fingers)
    {
      const auto *contacts = _ecm.Component<components::ContactSensorData>(collision);
      if (!contacts)
        continue;
      const auto centre = sim::worldPose(collision, _ecm).Pos();
      for (const auto &contact : contacts->Data().contact())
      {
        const bool first = contact.collision1().id() == collision;
        const auto object = this->FreeLink(first ? contact.collision2().id() : contact.collision1().id(), _ecm);
        if (!object)
          continue;
        for (int i = 0; i < std::min(contact.normal_size(), contact.position_size()); ++i)
        {
          maths::Vector3d normal(contact.normal(i).x(), contact.normal(i).y(), contact.normal(i).z());
          const maths::Vector3d point(contact.position(i).x(), contact.position(i).y(), contact.position(i).z());
          // Which way it points is not said. Out of the finger, which is convex, is away from its centre.
          if (normal.Dot(point - centre) < 0.0)
            normal = -normal;
          touching[*object].emplace_back(link, normal.Normalized());
        }
      }
    }
    std::map<Object, double> widest;
    for (const auto &[object, normals] : touching)
      for (std::size_t i = 0; i < normals.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (normals[i].first != normals[j].first)
          {
            const double cosine = std::clamp(normals[i].second.Dot(normals[j].second), -1.0, 1.0);
            widest[object] = std::max(widest[object], std::acos(cosine));
          }
    return widest;
  }

  /// The link of a collision, if it belongs to a model that can move and is not this robot.
  private: std::optional<Object> FreeLink(sim::Entity _collision, const sim::EntityComponentManager &_ecm) const
  {
    const auto *link = _ecm.Component<components::ParentEntity>(_collision);
    const auto *owner = link ? _ecm.Component<components::ParentEntity>(link->Data()) : nullptr;
    if (!owner || owner->Data() == this->model.Entity())
      return std::nullopt;
    const auto *fixed = _ecm.Component<components::Static>(owner->Data());
    return fixed && fixed->Data() ? std::nullopt : std::optional<Object>(link->Data());
  }

  private: sim::Entity Joint(const sdf::ElementPtr &_sdf, const std::string &_tag, sim::EntityComponentManager &_ecm)
  {
    const auto name = _sdf->Get<std::string>(_tag);
    const auto joint = this->model.JointByName(_ecm, name);
    if (joint == sim::kNullEntity)
      LUCCA_ERROR << "lucca_grasps: the model has no joint [" << name << "].\n";
    return joint;
  }

  /// The position of a joint in rad or m; physics fills it in from the first step on.
  private: double Position(sim::Entity _joint, sim::EntityComponentManager &_ecm)
  {
    if (_joint == sim::kNullEntity)
      return 0.0;
    const auto *position = _ecm.Component<components::JointPosition>(_joint);
    if (!position)
    {
      _ecm.CreateComponent(_joint, components::JointPosition());
      return 0.0;
    }
    return position->Data().empty() ? 0.0 : position->Data()[0];
  }

  private: static void Force(sim::Entity _joint, double _force, sim::EntityComponentManager &_ecm)
  {
    if (_joint != sim::kNullEntity)
      _ecm.SetComponentData<components::JointForceCmd>(_joint, {_force});
  }

  private: static constexpr double kLookEveryS = 0.02;
  private: static constexpr double kGravity = 9.8;
  private: sim::Model model{sim::kNullEntity};
  private: std::vector<std::unique_ptr<Hand>> hands;
  private: std::map<sim::Entity, double> starts;
  private: std::vector<Follower> followers;
  private: std::vector<Round> rounds;
  private: double lookedS = -1.0;
  /// Last, so that it ends first: its callbacks use the hands.
  private: transport::Node node;
};
}  // namespace lucca

LUCCA_ADD_PLUGIN(lucca::Grasps, sim::System, lucca::Grasps::ISystemConfigure, lucca::Grasps::ISystemPreUpdate)
