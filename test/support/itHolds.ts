import fc from 'fast-check';

type ArbitrariesOf<Values extends unknown[]> = {
  readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]>;
};

/** A test with random values: `holds` asserts for them what the title says, or returns whether it holds. */
export function itHolds<Values extends [unknown, ...unknown[]]>(
  title: string,
  arbitraries: readonly [...ArbitrariesOf<Values>],
  holds: (...values: NoInfer<Values>) => unknown,
  parameters?: fc.Parameters<NoInfer<Values>>,
): void {
  const property = fc.asyncProperty<Values>(
    ...arbitraries,
    async (...values) => (await holds(...values)) !== false,
  );
  it(title, () => fc.assert(property, parameters));
}
