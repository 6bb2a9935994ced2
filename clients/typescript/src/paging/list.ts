import { isBackward, requestPage, type Page, type PageSource } from './page.js';

/**
 * A list, whose pages are requested when they are needed.
 *
 * - `for await (const item of list)` gives every item, from page to page.
 * - `await list` gives one page. So an async function cannot return a list: its caller gets the first page.
 */
export class List<Item> implements AsyncIterable<Item>, PromiseLike<Page<Item>> {
  readonly #source: PageSource<Item>;

  constructor(source: PageSource<Item>) {
    this.#source = source;
  }

  /** Requests the first page. `await` calls this method. */
  async then<Fulfilled = Page<Item>, Rejected = never>(
    onFulfilled?: ((page: Page<Item>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return requestPage(this.#source).then(onFulfilled, onRejected);
  }

  /**
   * Gives every item, newest first. With `endingBefore` it goes towards newer items, so the oldest one comes first. New
   * items do not shift the pages.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { data } of this.pages()) {
      yield* isBackward(this.#source.parameters) ? data.toReversed() : data;
    }
  }

  /** Gives every page. */
  async *pages(): AsyncGenerator<Page<Item>, void> {
    let page: Page<Item> | null = await requestPage(this.#source);
    while (page !== null) {
      yield page;
      page = await page.next();
    }
  }
}
