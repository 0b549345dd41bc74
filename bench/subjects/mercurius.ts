/** A peer: Mercurius, tuned (loaders, JIT, named statements), on the gateway's own tables. */
import Fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius, { type IResolvers, type MercuriusLoaders } from 'mercurius';
import pg from 'pg';
import { liveSession, sessionOf } from '../authority.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

async function rows(name: string, text: string, values: readonly unknown[]) {
  return (await pool.query({ name, text, values: values as unknown[] })).rows;
}

const schema = `
  scalar DateTime
  type Query { project(id: ID!): Project }
  type Project { id: ID! name: String! organization: Organization }
  type Organization { orgId: ID! displayName: String rooms(first: Int): RoomConnection! }
  type RoomConnection { edges: [RoomEdge!]! }
  type RoomEdge { node: Room! }
  type Room { key: String! messages(first: Int): MessageConnection! }
  type MessageConnection { edges: [MessageEdge!]! }
  type MessageEdge { node: Message! }
  type Message { messageId: ID! body: String! sender: String! createdAt: DateTime! }
`;

interface Caller {
  /** Undefined when the request came without a credential: then nothing is asked. */
  readonly principalId?: string;
}

const resolvers = {
  DateTime: new GraphQLScalarType<string>({ name: 'DateTime', serialize: (value) => (value as Date).toISOString() }),
  Query: {
    async project(_root: unknown, { id }: { id: string }, { principalId }: Caller) {
      const columns = `'Project_' || p.id as id, p.name, p.org_id as "orgId"`;
      const found =
        principalId === undefined
          ? await rows('project', `select ${columns} from projects p where p.id = $1 and p.deleted_at is null`, [id])
          : await rows(
              'project-of-member',
              `select ${columns} from projects p
               join memberships m on m.org_id = p.org_id and m.principal_id = $2 and m.status = 'active'
               where p.id = $1 and p.deleted_at is null`,
              [id, principalId],
            );
      return found[0] ?? null;
    },
  },
};

interface Asked<Parent> {
  readonly obj: Parent;
  readonly params: { readonly first?: number };
}

const uncached = { cache: false };

const loaders = {
  Project: {
    organization: {
      async loader(queries: Asked<{ orgId: string }>[]) {
        const ids = queries.map(({ obj }) => obj.orgId);
        const found = await rows(
          'organizations',
          `select id as "orgId", display_name as "displayName" from orgs where id = any($1::uuid[])`,
          [ids],
        );
        const byId = new Map(found.map((row) => [row.orgId, row]));
        return ids.map((id) => byId.get(id));
      },
      opts: uncached,
    },
  },
  Organization: {
    rooms: {
      async loader(queries: Asked<{ orgId: string }>[]) {
        const found = await rows(
          'rooms',
          `select r.org_id as "orgId", r.key from unnest($1::uuid[]) as w (org_id)
           cross join lateral (select * from rooms r where r.org_id = w.org_id order by r.key limit $2) r`,
          [queries.map(({ obj }) => obj.orgId), queries[0]!.params.first ?? 50],
        );
        const edges = found.map((node) => ({ node }));
        return queries.map(({ obj }) => ({ edges: edges.filter(({ node }) => node.orgId === obj.orgId) }));
      },
      opts: uncached,
    },
  },
  Room: {
    messages: {
      async loader(queries: Asked<{ orgId: string; key: string }>[]) {
        const found = await rows(
          'messages',
          `select w.n::int as n, m.id as "messageId", m.body, m.sender_name as sender, m.created_at as "createdAt"
           from unnest($1::uuid[], $2::text[]) with ordinality as w (org_id, key, n)
           cross join lateral (
             select * from room_messages m where m.org_id = w.org_id and m.room_key = w.key order by m.seq limit $3
           ) m order by w.n, m.seq`,
          [queries.map(({ obj }) => obj.orgId), queries.map(({ obj }) => obj.key), queries[0]!.params.first ?? 50],
        );
        const pages = queries.map(() => ({ edges: [] as { node: object }[] }));
        for (const node of found) pages[node.n - 1]!.edges.push({ node });
        return pages;
      },
      opts: uncached,
    },
  },
};

const app = Fastify({ logger: false });
app.register(mercurius, {
  schema,
  resolvers: resolvers as unknown as IResolvers,
  loaders: loaders as unknown as MercuriusLoaders,
  jit: 1,
  graphiql: false,
  path: '/graphql',
  async context({ headers: { authorization } }): Promise<Caller> {
    if (authorization === undefined) return {};
    const session = sessionOf(authorization);
    const [row] = await rows('session', `select s.principal_id as "principalId" from sessions s where ${liveSession}`, [
      session,
    ]);
    return { principalId: row.principalId };
  },
});
process.stdout.write(`serves at ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.on('SIGTERM', () => process.exit(0));
