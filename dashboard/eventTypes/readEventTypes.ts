import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { ListedEventType } from '../api/types.js';

const pageSize = 100;
/** The number of event types that a page shows or offers. A user can type any other name. */
const maximumTypes = 1000;

/** The event types of the catalog, in the order of their names. Deprecated event types are last. */
export async function readEventTypes(api: Api, signal: AbortSignal): Promise<readonly ListedEventType[]> {
  const types: ListedEventType[] = [];
  for (let hasMore = true; hasMore && types.length < maximumTypes;) {
    const last = types.at(-1)?.name;
    const query = {
      limit: pageSize,
      fields: 'summary' as const,
      ...(last === undefined ? {} : { startingAfter: last }),
    };
    const page = await answerOf(api.GET('/v1/event-types', { params: { query }, signal }));
    types.push(...page.data);
    ({ hasMore } = page);
  }
  return inOrder(types);
}

/** Event types by name, deprecated event types last. */
function inOrder(types: readonly ListedEventType[]): readonly ListedEventType[] {
  return types.toSorted(
    (one, other) => Number(one.deprecated) - Number(other.deprecated) || (one.name < other.name ? -1 : 1),
  );
}
