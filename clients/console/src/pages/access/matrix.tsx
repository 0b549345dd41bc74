import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { SearchField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { State } from '../../design/status.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { WhoMayDocument } from './access.graphql.ts';
import { callers, MatrixCell } from './matrix-cell.tsx';
import { type Asked, Why } from './why.tsx';

const kinds: Readonly<Record<string, string>> = {
  TABLE: 'table',
  VIEW: 'view',
  MATERIALIZED_VIEW: 'materialized view',
  FOREIGN_TABLE: 'foreign table',
};

/** Who may do what with each table, view and function. */
export function Matrix({ projectId }: { readonly projectId: string }) {
  const answer = useAsk(WhoMayDocument, { project: projectId });
  const [query, setQuery] = useSearch('find', '');
  const [asked, ask] = useState<Asked>();
  return (
    <div className="access">
      <Toolbar label="Find tables and functions">
        <SearchField
          label="Find a table or function"
          value={query}
          onChange={(value) => setQuery(value, { replace: true })}
        />
      </Toolbar>
      <Loaded answer={answer}>
        {({ project }) => {
          const matches = ({ name }: { readonly name: string }) =>
            name.toLowerCase().includes(query.trim().toLowerCase());
          const relations = project?.access?.relations.filter(matches) ?? [];
          const functions = project?.access?.functions.filter(matches) ?? [];
          if (relations.length + functions.length === 0)
            return (
              <State icon={ShieldQuestion} title={query === '' ? 'No tables yet' : 'No match'}>
                Tables, views and functions of the project are listed here.
              </State>
            );
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no part in scrolling.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
            <div className="table-frame" role="group" tabIndex={0} aria-label="Who may do what">
              <table className="table matrix">
                <thead>
                  <tr>
                    <th scope="col">Table or function</th>
                    {callers.map(({ role, name }) => (
                      <th key={role} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {relations.map((relation) => (
                    <tr key={relation.name}>
                      <th scope="row">
                        <strong>{relation.name}</strong> <span className="quiet small">{kinds[relation.kind]}</span>
                        {relation.exposed === true && <Badge mood="good">Exposed</Badge>}
                      </th>
                      {callers.map(({ role, name }) => (
                        <td key={role}>
                          <MatrixCell
                            caller={name}
                            relation={relation}
                            role={role}
                            why={() => ask({ relation, role })}
                          />
                        </td>
                      ))}
                    </tr>
                  ))}
                  {functions.map((one) => (
                    <tr key={`${one.name}(${one.arguments})`}>
                      <th scope="row">
                        <code>
                          {one.name}({one.arguments})
                        </code>{' '}
                        <span className="quiet small">
                          {one.securityDefiner ? 'function, with the rights of its owner' : 'function'}
                        </span>
                      </th>
                      {callers.map(({ role }) => (
                        <td key={role}>
                          {one.callers.includes(role) ? (
                            <span className="reach all">✓ may call</span>
                          ) : (
                            <span className="reach none">– nothing</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Loaded>
      {asked !== undefined && (
        <Modal title={`Why: ${asked.relation.name}`} isOpen close={() => ask(undefined)} kind="wide">
          <Why asked={asked} />
        </Modal>
      )}
    </div>
  );
}
