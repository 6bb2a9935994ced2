/** Assigns a property of any name to an object. A plain assignment to `__proto__` would change the prototype. */
export function setOwn<Value>(target: Record<string, Value>, name: string, value: NoInfer<Value>): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}
