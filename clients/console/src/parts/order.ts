/** By which column rows are in order. */
export interface Order {
  readonly column: string | undefined;
  readonly falling: boolean;
}
