import { EyeOff, FunctionSquare, Rows3, Table2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { SearchField } from '../../design/field.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { accessOf } from './access-of.ts';
import { KeyedCode } from './keyed-code.tsx';
import { type Place, type Snippet, snippetOf, type Way } from './snippets.ts';
import type { Thing } from './things.ts';
import { TryRead } from './try-read.tsx';
import type { CallerState } from './use-caller.ts';

const icons = { table: Table2, view: Rows3, function: FunctionSquare } as const;

const ways: readonly { readonly id: Way; readonly name: string }[] = [
  { id: 'curl', name: 'curl' },
  { id: 'sdk', name: 'SDK' },
  { id: 'postgrest', name: 'postgrest-js' },
  { id: 'graphql', name: 'GraphQL' },
];

interface ReferenceProps {
  readonly things: readonly Thing[];
  readonly place: Place;
  readonly state: CallerState;
}

/** How each table, view and function of the project is reached. */
export function Reference({ things, place, state }: ReferenceProps) {
  const [named, setNamed] = useSearch('of', '');
  const [typed, setTyped] = useState('');
  const thing = things.find(({ id }) => id === named) ?? things.find(({ isExposed }) => isExposed) ?? things[0];
  if (thing === undefined)
    return (
      <State icon={Table2} title="No tables yet">
        Make a table, and its addresses are listed here. <Link to={`/projects/${place.projectId}/sql`}>Open SQL</Link>
      </State>
    );
  const found = things.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <div className="api-reference">
      <nav className="api-things" aria-label="Tables, views and functions">
        <SearchField label="Find a table or function" value={typed} onChange={setTyped} />
        <ul>
          {found.map((one) => {
            const Icon = icons[one.kind];
            return (
              <li key={one.id}>
                <button
                  type="button"
                  className="api-thing"
                  aria-current={one.id === thing.id ? 'true' : undefined}
                  onClick={() => setNamed(one.id)}
                >
                  <Icon className="icon" aria-hidden="true" />
                  <bdi>{one.name}</bdi>
                  {!one.isExposed && <EyeOff className="icon" role="img" aria-label="not exposed" />}
                </button>
              </li>
            );
          })}
        </ul>
        {found.length === 0 && <p className="quiet small">Nothing is called so.</p>}
      </nav>
      <Shown key={thing.id} thing={thing} place={place} state={state} />
    </div>
  );
}

function Shown({ thing, place, state }: { readonly thing: Thing; readonly place: Place; readonly state: CallerState }) {
  const [way, setWay] = useSearch('by', 'curl');
  const access = accessOf(thing, place.caller);
  return (
    <article className="api-shown" aria-label={thing.name}>
      <header className="api-shown-head">
        <h2>
          <bdi>{thing.name}</bdi>
        </h2>
        <Badge>{thing.kind}</Badge>
        {thing.isExposed ? <Badge mood="good">Exposed</Badge> : <Badge>Not exposed</Badge>}
        {thing.isLive && <Badge mood="accent">Live</Badge>}
      </header>
      {access === undefined ? (
        <NotExposed thing={thing} projectId={place.projectId} />
      ) : (
        <>
          {access.note !== undefined && <p className="quiet">{access.note}</p>}
          <Tabs
            label="Ways"
            selected={ways.some(({ id }) => id === way) ? way : 'curl'}
            select={(id) => setWay(id, { replace: true })}
            pages={ways.map(({ id, name }) => {
              const snippets = access.deeds.flatMap((deed) => snippetOf(id, deed, thing, place) ?? []);
              return { id, name, content: <Snippets snippets={snippets} state={state} /> };
            })}
          />
        </>
      )}
    </article>
  );
}

function Snippets({ snippets, state }: { readonly snippets: readonly Snippet[]; readonly state: CallerState }) {
  if (snippets.length === 0)
    return <p className="quiet">The GraphQL tab above has its names: they differ from those of the database.</p>;
  return (
    <div className="api-snippets">
      {snippets.map(({ title, code, url }) => (
        <div key={title}>
          <KeyedCode title={title} code={code} keys={state.keys} />
          {url !== undefined && state.headers !== undefined && <TryRead url={url} headers={state.headers} />}
        </div>
      ))}
    </div>
  );
}

function NotExposed({ thing, projectId }: { readonly thing: Thing; readonly projectId: string }) {
  if (thing.kind === 'function')
    return (
      <State icon={EyeOff} title="This caller may not call it">
        The manifest grants it to {thing.roles.join(', ') || 'no role'}. The{' '}
        <Link to={`/projects/${projectId}/access`}>access page</Link> changes that.
      </State>
    );
  const entry = { name: thing.name, expose: true, policy: 'public_read_authenticated_write' };
  return (
    <>
      <State icon={EyeOff} title="Only the service key reaches it">
        The manifest does not expose this {thing.kind}. The{' '}
        <Link to={`/projects/${projectId}/access`}>access page</Link> exposes it, or this entry among the tables of the
        manifest:
      </State>
      <CodeBlock title="Entry of the manifest" code={JSON.stringify(entry, null, 2)} />
    </>
  );
}
