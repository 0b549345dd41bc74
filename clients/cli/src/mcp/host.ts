/** What a project is known by on this machine, of its binding files and its caches. */
export interface Bound {
  readonly project_id?: string | undefined;
  readonly org_id?: string | undefined;
  readonly room_key?: string | undefined;
}

export interface ProjectKeys {
  readonly anon_key: string;
  readonly service_key: string;
}

/** What the bridge knows of the machine it runs on; the command `svc mcp` gives it. */
export interface McpBridgeHost {
  /** Address of the gateway, without a trailing slash. */
  readonly apiBase: string;
  readonly version: string;
  /** Environment: `SVC_MCP_PROFILE` chooses the tools, and others say who the model is in rooms. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly destroy: () => unknown };
  readonly stdout: { readonly write: (text: string) => unknown };
  readonly stderr: { readonly write: (text: string) => unknown };
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** The credential headers of one request, made afresh: a wallet signs each. */
  readonly headersFor: (url: URL) => Promise<Readonly<Record<string, string>>>;
  /** What calls mean that do not say it. */
  readonly bound: () => Promise<Bound>;
  readonly projectKeys: (projectId: string) => Promise<ProjectKeys | undefined>;
  /** @param isNew whether it was made just now, and is the project that is meant from then on */
  readonly saveProjectKeys: (projectId: string, keys: ProjectKeys, isNew: boolean) => Promise<void>;
  /** Makes an organization the one that the calls of this process mean from then on. */
  readonly useOrg: (orgId: string) => void;
  /** Makes a project the one that the calls of this process mean from then on. */
  readonly useProject: (projectId: string) => void;
  /**
   * Runs a command of `svc` inside this process.
   *
   * @param input its standard input
   * @returns the document that it would write
   * @throws with the `envelope` that it would write
   */
  readonly run: (words: readonly string[], input?: string) => Promise<unknown>;
}
