/** What the page is told by whoever serves it, as a project's own host does at `/_svc/config.json`. Nothing of it is secret. */
export interface PageConfig {
  readonly project_id: string;
  /** Where the gateway is, without a slash at the end. */
  readonly api_base: string;
  readonly anon_key: string;
}
