import type { Actor } from '../helpers/actors.ts';
import type { Answer, CallOptions } from '../helpers/service.ts';

/** Stands in the dark table, and nowhere else. */
export const secret = 'kept in the dark';

/** Tables, one of which is dark; the others are exposed, and know it. */
export const darkSchema = `
  create table dark (id int primary key, word text, owner uuid);
  insert into dark values (1, '${secret}', null);
  create table near (id int primary key, dark_id int references dark);
  insert into near values (1, 1);
  create table far (id int primary key);
  insert into far values (1);
  alter table dark add far_id int references far default 1;
  create view seen as select * from dark;
  create function tell() returns text language sql stable as 'select word from dark';
  create function rows_of() returns setof dark language sql stable as 'select * from dark';
  create function beside(near) returns setof dark rows 1 language sql stable as 'select * from dark where id = $1.dark_id';`;

const open = { expose: true, policy: 'public_read_append_only' };
/** What shows everything but the dark table, and the functions that tell of it: anybody may call those. */
export const darkManifest = {
  tables: [
    { name: 'near', ...open },
    { name: 'far', ...open },
  ],
};
/** What shows all of it. */
export const lightManifest = {
  tables: [
    ...darkManifest.tables,
    {
      name: 'dark',
      expose: true,
      policy: 'public_read_write_UNRESTRICTED',
      i_understand_this_is_unrestricted: true,
      live: true,
    },
  ],
  views: [{ name: 'glimpse', base: 'dark', select: ['*'], expose: true }],
  rpcs: [
    { name: 'tell', signature: '()', grant_to: ['anon', 'authenticated'] },
    { name: 'rows_of', signature: '()', grant_to: ['anon', 'authenticated'] },
    { name: 'beside', signature: '(near)', grant_to: ['anon', 'authenticated'] },
  ],
};

/** What a door is asked by. */
export interface DarkWorld {
  readonly projectId: string;
  /** Anonymous, or a user of the project's. */
  readonly caller: Actor;
  readonly call: (actor: Actor, method: string, path: string, options?: CallOptions) => Promise<Answer<unknown>>;
}

/**
 * A way to a table's rows. While the table is dark it must refuse, and tell neither its words nor how many rows there
 * are; once it is exposed it must show them, so that none of these is a door that never opened.
 */
export interface DarkDoor {
  readonly name: string;
  readonly ask: (world: DarkWorld) => Promise<Answer<unknown>>;
  /** A door that changes rows, and does not answer their words. */
  readonly changes?: true;
}

const rest = (name: string, method: string, path: string, options?: CallOptions, changes?: true): DarkDoor => ({
  name,
  ask: ({ call, caller }) => call(caller, method, `/rest/v1/${path}`, options),
  ...(changes === undefined ? {} : { changes }),
});
const graph = (name: string, query: string, changes?: true): DarkDoor => ({
  name: `GraphQL: ${name}`,
  ask: ({ call, caller, projectId }) =>
    // Of this media type a document that asks for what there is not is refused by status.
    call(caller, 'POST', `/projects/v1/${projectId}/graphql`, {
      body: { query },
      headers: { accept: 'application/graphql-response+json' },
    }),
  ...(changes === undefined ? {} : { changes }),
});
const headers = (more: Record<string, string>): CallOptions => ({ headers: more });
const back = { prefer: 'return=representation' };

/** Every door there is; one line each. Those that take rows away come last. */
export const darkDoors: readonly DarkDoor[] = [
  rest('rows', 'GET', 'dark'),
  rest('one column', 'GET', 'dark?select=word'),
  rest('a filter', 'GET', 'dark?word=like.kept*'),
  rest('an order', 'GET', 'dark?order=word.desc'),
  rest('a count', 'GET', 'dark', headers({ prefer: 'count=exact' })),
  rest('a planned count', 'GET', 'dark', headers({ prefer: 'count=planned' })),
  rest('HEAD', 'HEAD', 'dark', { headers: { prefer: 'count=exact' } }, true),
  rest('a single object', 'GET', 'dark', headers({ accept: 'application/vnd.pgrst.object+json' })),
  rest('CSV', 'GET', 'dark', headers({ accept: 'text/csv' })),
  rest('another schema’s name', 'GET', 'dark', headers({ 'accept-profile': 'public' })),
  rest('embedding, to one', 'GET', 'near?select=id,dark(word)'),
  rest('embedding, to many', 'GET', 'far?select=id,dark(word)'),
  rest('embedding with !inner', 'GET', 'near?select=id,dark!inner(word)'),
  rest('embedding, spread', 'GET', 'near?select=id,...dark(word)'),
  rest('embedding, counted', 'GET', 'far?select=id,dark(count)', undefined, true),
  rest('embedding as a filter', 'GET', 'near?select=id,dark!inner()&dark.word=like.kept*', undefined, true),
  rest('embedding as an order', 'GET', 'near?select=id,dark(word)&order=dark(word)'),
  rest('embedding by a function', 'GET', 'near?select=id,beside(word)'),
  rest('a view of the manifest', 'GET', 'glimpse'),
  rest('rpc by GET', 'GET', 'rpc/tell'),
  rest('rpc by POST', 'POST', 'rpc/tell', { body: {} }),
  rest('rpc of rows', 'POST', 'rpc/rows_of?select=word', { body: {} }),
  rest('insert', 'POST', 'dark', { body: { id: 2, word: secret }, headers: back }),
  rest('insert without an answer', 'POST', 'dark', { body: { id: 3, word: secret } }, true),
  rest('upsert', 'POST', 'dark', {
    body: { id: 2, word: secret },
    headers: { prefer: 'return=representation, resolution=merge-duplicates' },
  }),
  rest('PUT', 'PUT', 'dark?id=eq.2', { body: { id: 2, word: secret, owner: null, far_id: 1 }, headers: back }),
  graph('rows', '{ dark { nodes { word } } }'),
  graph('one row', '{ darkByPk(id: 1) { word } }'),
  graph('a count', '{ dark { totalCount } }', true),
  graph('a relation, to one', '{ near { nodes { dark { word } } } }'),
  graph('a relation, to many', '{ far { nodes { dark { nodes { word } } } } }'),
  graph('a relation as a filter', '{ far(where: { dark: { some: { id: { eq: 1 } } } }) { nodes { id } } }', true),
  graph('a view', '{ glimpse { nodes { word } } }'),
  graph('a function', '{ tell }'),
  graph('a function of rows', '{ rowsOf { nodes { word } } }'),
  graph('insert', `mutation { insertDark(rows: [{ id: 4, word: "${secret}" }]) { rows { word } } }`),
  graph('update', 'mutation { updateDark(set: { owner: null }, where: { id: { eq: 4 } }) { rows { word } } }'),
  graph('delete', 'mutation { deleteDark(where: { id: { eq: 4 } }) { rows { word } } }'),
  {
    name: 'word of changes',
    ask: ({ call, caller, projectId }) => call(caller, 'GET', `/live/v1/changes?project_id=${projectId}&tables=dark`),
    changes: true,
  },
  rest('update', 'PATCH', 'dark?id=eq.2', { body: { owner: null }, headers: back }),
  rest('delete', 'DELETE', 'dark?id=eq.2', headers(back)),
  rest('delete without an answer', 'DELETE', 'dark?id=eq.3', undefined, true),
];
