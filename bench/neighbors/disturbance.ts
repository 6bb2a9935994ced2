/** Load of another account, or of clients without one, next to the measured requests. */
export interface Disturbance {
  readonly stop: () => void | Promise<void>;
}
