// Prints the slope of the cube at 2.
#include <cstdio>

double cube_slope(double at);

int main() { std::printf("%g\n", cube_slope(2)); }
