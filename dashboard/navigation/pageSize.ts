/** The number of items on a page of a list. On a phone each item is a card, so a page has fewer items. */
export function pageSize(): number {
  return matchMedia('(width < 45rem)').matches ? phoneSize : size;
}

const size = 25;
const phoneSize = 10;
