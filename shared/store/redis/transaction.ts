import type { ChainableCommander } from 'ioredis';

/**
 * The results of a Redis transaction.
 * @throws Error if a command of the transaction failed
 */
export async function executed(transaction: ChainableCommander): Promise<readonly unknown[]> {
  const results = (await transaction.exec()) ?? [];
  return results.map(([error, result]) => {
    if (error !== null) {
      throw error;
    }
    return result;
  });
}
