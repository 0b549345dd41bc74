/** How functions are kept apart on a node. */
export interface FunctionsStanding {
  /** `trusted`: they run without isolation, as the operator allows; `unavailable`: none run. */
  readonly functions: 'isolated' | 'trusted' | 'unavailable';
  /** Why they are not isolated; null where they are. */
  readonly reason: string | null;
}
