/** Files of a folder from memory behind bare `node:http`, each with headers made beforehand. Looks at nothing but the path. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from './listen.ts';

const folder = process.env.FOLDER!;

const files = new Map(
  readdirSync(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const headers = ['content-type', 'text/css', 'etag', `"${sha256}"`, 'content-length', String(bytes.length)];
    return [`/${name}`, { bytes, headers }];
  }),
);

listen(
  createServer((request, response) => {
    const file = files.get(request.url!);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, file.headers).end(file.bytes);
  }),
);
