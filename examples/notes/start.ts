/**
 * A notes app on a running gateway: makes it a project with one table, and serves the page that is its whole frontend.
 *
 * Usage: npm run example [-- http://localhost:4000]
 */
import { createNotesProject } from './create-project.ts';
import { servePage } from './serve-page.ts';

const apiBase = (process.argv[2] ?? process.env.BASE_URL ?? 'http://localhost:4000').replace(/\/$/, '');
const page = await servePage(await createNotesProject(apiBase), Number(process.env.PAGE_PORT ?? 5173));
process.stdout.write(
  `Notes are at ${page.url}\nSign up there with any address and a password of six letters or more.\n`,
);
