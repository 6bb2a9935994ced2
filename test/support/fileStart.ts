let beganAt = Date.now();

/** Notes that a test file begins. */
export function beginFile(): void {
  beganAt = Date.now();
}

/** When the present test file began, or an earlier moment, in milliseconds since 1970. */
export function fileBeganAt(): number {
  return beganAt;
}
