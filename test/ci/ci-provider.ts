import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { listenLater } from '../helpers/oidc-server.ts';

export interface Workflow {
  readonly subject: string;
  readonly event?: string;
  readonly repositoryId?: string;
  readonly audience?: string;
}

const client_secret = 'the secret of a runner';

/**
 * A real OpenID Connect server that gives workflows tokens as GitHub does: the subject says repository and ref, further
 * claims say event and repository.
 */
export async function startCiProvider(audience: string) {
  const { issuer, answer, stop } = await listenLater();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const claims = new Map<string, Workflow>();
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const subjects = [
    'repo:acme/shop:ref:refs/heads/main',
    'repo:acme/shop:environment:production',
    'repo:acme/shopping:ref:refs/heads/main',
  ];
  const provider = new Provider(issuer, {
    clients: subjects.map((client_id) => ({
      client_id,
      client_secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post' as const,
    })),
    jwks: { keys: [jwk] },
    cookies: { keys: ['of this test'] },
    extraTokenClaims: (_ctx, token) => {
      const { event = 'push', repositoryId = '42' } = claims.get((token as { clientId?: string }).clientId!) ?? {};
      return { event_name: event, repository_id: repositoryId };
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: '',
          audience: resource,
          accessTokenTTL: 300,
          accessTokenFormat: 'jwt' as const,
        }),
      },
    },
  });
  answer(provider.callback());
  return {
    issuer,
    stop,
    /** The token that a workflow is given. */
    async tokenOf(workflow: Workflow): Promise<string> {
      claims.set(workflow.subject, workflow);
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: workflow.subject,
          client_secret,
          resource: workflow.audience ?? audience,
        }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`The provider gave no token: ${response.status}`);
      return token;
    },
  };
}
