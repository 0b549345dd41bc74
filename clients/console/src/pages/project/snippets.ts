/** What a snippet is filled in with. */
export interface SnippetValues {
  /** Scheme and host of the gateway. */
  readonly url: string;
  readonly projectId: string;
  readonly anonKey: string;
  readonly serviceKey: string;
  /** A table to read. */
  readonly table: string;
}

export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly code: (values: SnippetValues) => string;
}

/** A name as a string of JavaScript. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/** First calls, one for each way to call a project. */
export const snippets: readonly Snippet[] = [
  {
    id: 'curl',
    name: 'curl',
    code: ({ url, anonKey, table }) => `curl '${url}/rest/v1/${encodeURIComponent(table)}?select=*&limit=10' \\
  -H 'apikey: ${anonKey}'`,
  },
  {
    id: 'sdk',
    name: 'SDK',
    code: ({ url, anonKey, table }) => `import { createClient, projectKey } from '@svc/sdk';

const client = createClient({
  baseUrl: '${url}',
  credential: projectKey({ key: '${anonKey}' }),
});
const rows = await client.rest(${quoted(table)}).select();`,
  },
  {
    id: 'postgrest',
    name: 'postgrest-js',
    code: ({ url, anonKey, table }) => `import { PostgrestClient } from '@supabase/postgrest-js';

const rest = new PostgrestClient('${url}/rest/v1', {
  headers: { apikey: '${anonKey}' },
});
const { data, error } = await rest.from(${quoted(table)}).select();`,
  },
  {
    id: 'auth',
    name: 'supabase-js auth',
    code: ({ url, anonKey }) => `import { createClient } from '@supabase/supabase-js';

const supabase = createClient('${url}', '${anonKey}');
const { data, error } = await supabase.auth.signInWithPassword({
  email: 'ada@example.com',
  password: 'correct horse battery staple',
});`,
  },
  {
    id: 'env',
    name: '.env',
    code: ({ url, projectId, anonKey, serviceKey }) => `SVC_URL=${url}
SVC_PROJECT_ID=${projectId}
SVC_ANON_KEY=${anonKey}
# For servers only: it passes by row security.
SVC_SERVICE_KEY=${serviceKey}`,
  },
];
