/** The floor of row reads: bare `node:http` and one statement by hand, without keys, role or claims. */
import { createServer } from 'node:http';
import pg from 'pg';
import { listen } from './listen.ts';

const settings = { options: '-c role=anon -c request.jwt.claims={}' };
const connectionString = process.env.DATABASE_URL!;
const pool = new pg.Pool({ connectionString, max: 8, ...settings });
const lines = Array.from(
  { length: 4 },
  () => new pg.Client({ connectionString, pipeline: true, ...settings } as pg.ClientConfig),
);
await Promise.all(lines.map((line) => line.connect()));

const columns = 'id, title, price, made_at, open';
const rowText = `select coalesce(json_agg(page)::text, '[]') from (select ${columns} from items where id = $1) page`;
const pageText = `select coalesce(json_agg(page)::text, '[]')
  from (select ${columns}, body from items where id > $1 order by id limit $2) page`;

let nth = 0;

async function answer(url: string): Promise<string> {
  const query = new URLSearchParams(url.slice(url.indexOf('?')));
  const id = query.get('id')!.slice(3);
  const limit = query.get('limit');
  const statement =
    limit === null
      ? { name: 'row', text: rowText, values: [id] }
      : { name: 'page', text: pageText, values: [id, limit] };
  const on = url.startsWith('/pipelined') ? lines[nth++ % lines.length]! : pool;
  const { rows } = await on.query<string[]>({ ...statement, rowMode: 'array' });
  return rows[0]![0]!;
}

listen(
  createServer((request, response) => {
    answer(request.url!).then(
      (text) => {
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        };
        response.writeHead(200, headers).end(text);
      },
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  }),
);
