/** What is sent along with a user, and known again when the user comes back. */
export interface Passage {
  /** Where the provider sends the user back to; registered there. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE between this server and the provider. */
  readonly codeVerifier: string;
}

/** A person, as a provider vouches for. */
export interface Person {
  /** What the provider calls them; it never changes. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider says that the address is theirs. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
}

/** Where people prove who they are. */
export interface IdentityProvider {
  readonly id: string;
  readonly displayName: string;
  /** Where a user is sent to. @throws ProviderError */
  readonly authorizationUrl: (passage: Passage, loginHint: string | undefined) => Promise<URL>;
  /** Who came back with a query like this. @throws ProviderError */
  readonly identify: (passage: Passage, query: Readonly<Record<string, string | undefined>>) => Promise<Person>;
}
