/** The column by which the rows are sorted. */
export interface Order {
  readonly column: string | undefined;
  readonly falling: boolean;
}
