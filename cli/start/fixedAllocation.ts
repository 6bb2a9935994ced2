/**
 * Where glibc takes large pieces of memory from, in bytes, as it does at first: each by itself, and given back at once. Left alone it
 * takes larger and larger ones from its heap (mallopt(3), "M_MMAP_THRESHOLD"), where small ones that stay among them keep what was freed: after a
 * load three roles held 50 MB so. Environment variables are the only way to say it, before a process begins.
 */
export const fixedAllocation = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;
