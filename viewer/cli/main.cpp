// The application: everything is behind the command line.
#include "viewer/cli/cli.h"

#include "commit.h"

int main(int argc, char** argv) { return tapescope::run_cli(argc, argv, TAPESCOPE_COMMIT); }
