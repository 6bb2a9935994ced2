/** What the page shows. The fragment of the address names it, which browsers send to no server. */
export type View =
  | { readonly kind: 'endpoints' | 'newEndpoint' | 'eventTypes' | 'verify' }
  | { readonly kind: 'endpoint' | 'editEndpoint' | 'testEndpoint' | 'recoverEvents'; readonly id: string }
  | { readonly kind: 'events'; readonly endpointId: string | null; readonly status: string | null }
  | { readonly kind: 'event'; readonly id: string }
  | { readonly kind: 'eventType'; readonly name: string };

const ofEndpoint = {
  '': 'endpoint',
  edit: 'editEndpoint',
  test: 'testEndpoint',
  recover: 'recoverEvents',
} as const;

/** The view that a fragment such as `#/endpoints/wh_01` names. Any other fragment names the list of endpoints. */
export function viewOf(fragment: string): View {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?');
  const [, section = '', id = '', part = ''] = path.split('/').map(decoded);
  switch (section) {
    case 'events':
      return id === '' ? eventsView(new URLSearchParams(query)) : { kind: 'event', id };
    case 'event-types':
      return eventTypesView(id);
    case 'verify':
      return { kind: 'verify' };
    default:
      return endpointView(id, part);
  }
}

function eventTypesView(name: string): View {
  return name === '' ? { kind: 'eventTypes' } : { kind: 'eventType', name };
}

function eventsView(query: URLSearchParams): View {
  return { kind: 'events', endpointId: query.get('endpoint'), status: query.get('status') };
}

function endpointView(id: string, part: string): View {
  if (id === 'new') {
    return { kind: 'newEndpoint' };
  }
  return id === '' || !isPart(part) ? { kind: 'endpoints' } : { kind: ofEndpoint[part], id };
}

function isPart(part: string): part is keyof typeof ofEndpoint {
  return Object.hasOwn(ofEndpoint, part);
}

/** The section of the navigation that a view belongs to. */
export function sectionOf({ kind }: View): 'endpoints' | 'events' | 'event-types' | 'verify' {
  switch (kind) {
    case 'events':
    case 'event':
      return 'events';
    case 'eventTypes':
    case 'eventType':
      return 'event-types';
    case 'verify':
      return 'verify';
    default:
      return 'endpoints';
  }
}

/** A link within the page, such as `#/endpoints/wh_01/edit`. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A link to the events of an endpoint, those with a delivery of a status or all. */
export function linkToEventsOf(endpointId: string, status: string | null = null): string {
  const query = new URLSearchParams({ endpoint: endpointId, ...(status !== null && { status }) });
  return `${linkTo('events')}?${query}`;
}
