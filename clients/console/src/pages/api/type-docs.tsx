import type { GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { useState } from 'react';
import { SearchField } from '../../design/field.tsx';
import { useSearch } from '../../search.ts';

type AnyField = GraphQLField<unknown, unknown> | GraphQLInputField;

/** The types of a schema, to walk through. The one that is shown is in the address. */
export function TypeDocs({ schema }: { readonly schema: GraphQLSchema }) {
  const [name, setName] = useSearch('type', '');
  const [typed, setTyped] = useState('');
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  );
  const type: GraphQLNamedType | undefined = schema.getType(name) ?? roots[0];
  const words = typed.trim().toLowerCase();
  const fields = type === undefined ? [] : fieldsOf(type);
  const found = fields.filter((field) => `${field.name} ${field.description ?? ''}`.toLowerCase().includes(words));
  return (
    <>
      <div className="api-docs-roots">
        {roots.map((root) => (
          <TypeLink key={root.name} name={root.name} isCurrent={root === type} go={setName} />
        ))}
      </div>
      {type !== undefined && (
        <>
          <h2>
            <code>{type.name}</code>
          </h2>
          {type.description != null && <p className="quiet">{type.description}</p>}
          {fields.length > 8 && <SearchField label="Find a field" value={typed} onChange={setTyped} />}
          <dl className="api-fields">
            {found.map((field) => (
              <div key={field.name}>
                <dt>
                  <code>{field.name}</code>
                  {'args' in field && field.args.length > 0 && <Arguments args={field.args} go={setName} />}
                  <TypeOf type={String(field.type)} go={setName} />
                </dt>
                {field.description != null && <dd className="quiet small">{field.description}</dd>}
              </div>
            ))}
          </dl>
          {'getValues' in type && (
            <ul className="api-values">
              {type.getValues().map((value) => (
                <li key={value.name}>
                  <code>{value.name}</code> <span className="quiet small">{value.description}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}

const fieldsOf = (type: GraphQLNamedType): readonly AnyField[] =>
  'getFields' in type ? Object.values(type.getFields() as Readonly<Record<string, AnyField>>) : [];

interface Goes {
  readonly go: (name: string) => void;
}

function Arguments({ args, go }: { readonly args: readonly GraphQLArgument[] } & Goes) {
  return (
    <span className="api-arguments">
      (
      {args.map((arg, at) => (
        <span key={arg.name}>
          {at > 0 && ', '}
          <code>{arg.name}</code>
          <TypeOf type={String(arg.type)} go={go} />
        </span>
      ))}
      )
    </span>
  );
}

/** A type as GraphQL writes it; its name leads to the type. */
function TypeOf({ type, go }: { readonly type: string } & Goes) {
  const name = type.replace(/[[\]!]/g, '');
  const [before, after] = type.split(name) as [string, string];
  return (
    <span>
      : {before}
      <TypeLink name={name} go={go} />
      {after}
    </span>
  );
}

function TypeLink({ name, isCurrent = false, go }: { readonly name: string; readonly isCurrent?: boolean } & Goes) {
  return (
    <button type="button" className="api-type" aria-current={isCurrent ? 'true' : undefined} onClick={() => go(name)}>
      {name}
    </button>
  );
}
