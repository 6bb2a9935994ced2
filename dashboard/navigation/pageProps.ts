export interface PageProps {
  /** Of the resource that the address names; empty where it names none. */
  readonly id: string;
}
