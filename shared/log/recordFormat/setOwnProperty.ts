/** Assigns a member, whatever it is called: `__proto__`, assigned, would become what it is called. */
export function setOwn<Value>(target: Record<string, Value>, name: string, value: NoInfer<Value>): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}
