/** The value of `POSTRIDER_ENCRYPTION_KEYS` with these keys. Equal names have equal bytes. */
export function encryptionKeys(...names: readonly string[]): string {
  return names.map((name) => `${name}:${Buffer.alloc(32, name).toString('base64')}`).join();
}
