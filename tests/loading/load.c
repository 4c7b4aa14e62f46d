/* A plain C program that loads a shared object at run time and calls it: load OBJECT FILE FILE, from its own
 * thread and another. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*record_one_op)(const char* path);

static void* on_a_thread(void* path) { return record_one_op(path) == 0 ? path : NULL; }

int main(int count, char** arguments) {
  if (count != 4) return 2;
  void* object = dlopen(arguments[1], RTLD_NOW);
  if (!object) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&record_one_op = dlsym(object, "record_one_op");
  if (!record_one_op || record_one_op(arguments[2]) != 0) return 1;

  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, on_a_thread, arguments[3]) != 0) return 1;
  pthread_join(thread, &result);
  return result ? 0 : 1;
}
