export interface PageProps {
  /** The id of the resource in the address; empty without one. */
  readonly id: string;
}
