/** What the page is told by whoever serves it. Nothing of it is secret. */
export interface PageConfig {
  /** Where the gateway is, without a slash at the end. */
  readonly apiBase: string;
  readonly projectId: string;
  readonly anonKey: string;
}
