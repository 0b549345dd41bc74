export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a documented request brings: names as the documentation spells them, values unchecked. */
export interface RestRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The JSON body; an absent one is an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the answer is wanted as Markdown; asked of paths that have such a one. */
  readonly markdown?: boolean;
  /** By their names in small letters, each given once. */
  readonly headers?: RestHeaders;
  /** Whether the answer's headers are all that is wanted. */
  readonly head?: boolean;
}

export type RestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
