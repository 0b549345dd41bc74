import { Store } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { SearchField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { AppsDocument } from './apps.graphql.ts';
import { priceOf } from './price-of.ts';
import { tagsOf } from './tags-of.ts';

/** Apps that anybody may make a project from. The address holds the tags. */
export default function Apps() {
  const { typed, type, applied } = useTypedSearch('tag');
  const tags = tagsOf(applied);
  const pages = usePages(tags.join(','));
  const answer = useAsk(AppsDocument, { ...(tags.length === 0 ? {} : { tag: tags }), after: pages.after });
  return (
    <Page
      title="Apps"
      lead="Projects that others have published. A fork is a project of your own, with a schema, functions and a site, and without data."
    >
      <Toolbar label="Search apps">
        <div className="toolbar-search">
          <SearchField label="Search by tag" value={typed} onChange={type} />
        </div>
      </Toolbar>
      <Loaded answer={answer}>
        {({ apps }) =>
          apps !== null && (
            <>
              <Table
                label="Apps"
                rows={apps.edges.map(({ node }) => node)}
                keyOf={({ versionId }) => versionId}
                linkOf={({ versionId }) => `/apps/${versionId}`}
                columns={[
                  { id: 'name', name: 'Name', cell: ({ name }) => name },
                  {
                    id: 'description',
                    name: 'What it does',
                    grows: true,
                    cell: ({ description }) => description ?? '',
                  },
                  { id: 'tags', name: 'Tags', isExtra: true, cell: (app) => app.tags.join(', ') },
                  {
                    id: 'tier',
                    name: 'From tier',
                    isExtra: true,
                    cell: ({ minTier }) => <StateBadge value={minTier} mood="plain" />,
                  },
                  { id: 'price', name: 'Price', align: 'end', cell: (app) => priceOf(app.forkPriceUsdMicros) },
                  { id: 'created', name: 'Published', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
                ]}
                empty={
                  tags.length === 0 ? (
                    <State icon={Store} title="No apps yet">
                      Publish a project of yours on its page “Published versions”: whoever finds it here can make a
                      project of their own from it.
                    </State>
                  ) : (
                    <State
                      icon={Store}
                      title="No app has this tag"
                      action={<Button onPress={() => type('')}>Show all apps</Button>}
                    >
                      Tags are whole words, such as “shop”.
                    </State>
                  )
                }
              />
              <Pager pages={pages} info={apps.pageInfo} list="apps" />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
