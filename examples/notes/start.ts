/**
 * A notes app on a running gateway: makes it a project with one table, and serves the page that is its whole frontend.
 *
 * Usage: npm run example [-- http://localhost:4000]
 */
import { createNotesProject } from './create-project.ts';
import { servePage } from './serve-page.ts';

const apiBase = (process.argv[2] ?? process.env.BASE_URL ?? 'http://localhost:4000').replace(/\/$/, '');
/** What a newcomer can do something about. */
function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const config = await createNotesProject(apiBase).catch((error: Error) =>
  fail(
    error.cause === undefined
      ? error.message
      : `Nothing answers at ${apiBase}. Is the gateway running there? npm start starts one.`,
  ),
);
const port = Number(process.env.PAGE_PORT ?? 5173);
const page = await servePage(config, port).catch((error: NodeJS.ErrnoException) =>
  fail(error.code === 'EADDRINUSE' ? `Port ${port} is taken: say another one with PAGE_PORT.` : error.message),
);
process.stdout.write(
  `Notes are at ${page.url}\nSign up there with any address and a password of six letters or more.\n`,
);
