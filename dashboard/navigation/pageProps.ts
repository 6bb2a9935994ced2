export interface PageProps {
  /** The id of the resource in the page's address, or an empty text without one. */
  readonly id: string;
}
