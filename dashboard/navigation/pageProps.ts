export interface PageProps {
  /** The id of the resource in the page's address, or an empty text without one. */
  readonly id: string;
  /** The id of a resource within that resource, such as an attempt of an event, or an empty text without one. */
  readonly innerId: string;
}
