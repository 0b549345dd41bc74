import { type InspectedPage, inspectPage } from '../resolvers/hosts/cache/inspect-page.ts';
import { invalidatePages } from '../resolvers/hosts/cache/invalidate-pages.ts';
import { builder } from './builder.ts';
import { changeField, readField } from './operation-field.ts';

const CachedPageRef = builder.objectRef<InspectedPage>('CachedPage').implement({
  description: 'A rendered page, as it is kept for its next visitors.',
  fields: (t) => ({
    status: t.string({
      description: '`HIT` when it is kept, `MISS` when the next visitor has it made.',
      resolve: ({ page }) => (page === undefined ? 'MISS' : 'HIT'),
    }),
    host: t.exposeString('host', { description: 'Its host.' }),
    path: t.exposeString('path', { description: 'Its path.' }),
    search: t.exposeString('search', { description: 'Its query with the question mark; empty without one.' }),
    locale: t.string({
      nullable: true,
      description: 'Its locale; null for a release without locales.',
      resolve: ({ locale }) => (locale === '' ? null : locale),
    }),
    releaseId: t.exposeString('releaseId', { nullable: true, description: 'The release that made it.' }),
    cachedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was made.',
      resolve: ({ page }) => page?.cachedAt ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when it is kept.',
      resolve: ({ page }) => page?.expiresAt ?? null,
    }),
  }),
});

readField('cachedPage', inspectPage, { type: CachedPageRef, ids: { release: null } });

const InvalidationRef = builder
  .objectRef<Awaited<ReturnType<typeof invalidatePages.handler>>>('CacheInvalidation')
  .implement({
    description: 'Pages that are made anew.',
    fields: (t) => ({
      deleted: t.int({
        description: 'How many were kept.',
        resolve: ({ results }) => results.reduce((sum, { deleted }) => sum + deleted, 0),
      }),
      generation: t.string({
        description: 'What is made from now on is kept under this generation of the host.',
        resolve: ({ results }) => String(results.at(-1)!.generation),
      }),
    }),
  });

const CacheScopeEnum = builder.enumType('CacheScope', {
  description: 'Which pages are made anew.',
  values: {
    EXACT: { value: 'exact', description: 'The one at `path`.' },
    PREFIX: { value: 'prefix', description: 'Those whose paths begin with `prefix`.' },
    ALL: { value: 'all', description: 'All of the host.' },
    MANY: { value: 'many', description: 'Those at `urls`.' },
  } as const,
});

changeField('invalidateCache', invalidatePages, {
  type: InvalidationRef,
  input: 'Pages to make anew.',
  argument: 'The pages.',
  types: { kind: CacheScopeEnum },
});
