import { defineConfig } from 'drizzle-kit';

/** `npm run generate` writes the next migration from the tables; `npm run check` fails when one is missing. */
export default defineConfig({ dialect: 'postgresql', schema: './db/schema/*.ts', out: './db/migrations' });
