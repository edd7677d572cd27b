// Reads one look a line: time, asked, measured, then pairs of object and angle. Writes the object held, or -1.
#include "pinch_rule.hpp"

#include <iostream>
#include <sstream>
#include <string>

int main(int, char **argv)
{
  lucca::GripTracker grip(std::stod(argv[1]));
  lucca::PinchTracker pinch;
  std::string line;
  while (std::getline(std::cin, line))
  {
    std::istringstream in(line);
    double time, asked, measured, angle;
    in >> time >> asked >> measured;
    std::map<lucca::Object, double> pinched;
    lucca::Object object;
    while (in >> object >> angle)
      pinched[object] = angle;
    const auto held = pinch.Update(grip.Update(asked, measured, time), asked, pinched, {});
    std::cout << (held ? static_cast<long long>(*held) : -1) << "\n";
  }
}
