// Preloaded into a process (LD_PRELOAD), counts its allocations in a file of two 64-bit numbers,
// named by MCSTEADY_ALLOCATION_COUNT, which another process reads: the allocations so far, and how
// many of the next ones are to leave their stack on standard error. operator new ends in malloc, so
// it is counted too. Freeing is not: what is never taken is never given back.

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// glibc's own, under the names that do not lead back here.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

struct Page {
  std::atomic<std::uint64_t> count;
  std::atomic<std::int64_t> stacks_wanted;
};

Page* page = nullptr;
thread_local bool inside = false;  // backtrace() allocates when it is first called

__attribute__((constructor)) void open_page() {
  const char* path = std::getenv("MCSTEADY_ALLOCATION_COUNT");
  const int fd = path == nullptr ? -1 : open(path, O_RDWR);
  if (fd < 0) return;
  void* memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory != MAP_FAILED) page = static_cast<Page*>(memory);
}

void print_stack() {
  inside = true;
  std::array<void*, 24> frames;
  const int count = backtrace(frames.data(), frames.size());
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  if (write(STDERR_FILENO, "\n", 1) < 0) std::abort();
  inside = false;
}

void note_allocation() {
  if (page == nullptr || inside) return;
  page->count.fetch_add(1, std::memory_order_relaxed);
  if (page->stacks_wanted.load(std::memory_order_relaxed) <= 0) return;
  if (page->stacks_wanted.fetch_sub(1, std::memory_order_relaxed) > 0) print_stack();
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  note_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  note_allocation();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note_allocation();
  return __libc_memalign(alignment, size);
}

}  // extern "C"
