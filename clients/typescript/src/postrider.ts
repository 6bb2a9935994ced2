import { Resources } from './generated/resources.js';
import { configurationOf, type PostriderOptions } from './http/configuration.js';
import { createHttpClient } from './http/httpClient.js';

/**
 * A client of the Postrider API.
 *
 * ```ts
 * const postrider = new Postrider('sk_live_…', { baseUrl: 'https://postrider.example.com' });
 * await postrider.events.create({ type: 'order.completed', data: { orderId: 'ord_1' } });
 * ```
 */
export class Postrider extends Resources {
  /**
   * @param apiKey by default the environment variable `POSTRIDER_API_KEY`
   * @throws TypeError if there is no key, or an option has the wrong form
   */
  constructor(apiKey?: string, options: PostriderOptions = {}) {
    super(createHttpClient(configurationOf(apiKey, options)));
  }
}
