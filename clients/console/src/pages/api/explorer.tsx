import type { GraphQLSchema } from 'graphql';
import { Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { indentJson } from '../../design/indent-json.ts';
import { keep, ownName, recall } from '../../kept.ts';
import { loadCode } from '../../load-code.ts';
import { TypeDocs } from './type-docs.tsx';
import type { CallerState } from './use-caller.ts';

interface ExplorerProps {
  readonly projectId: string;
  readonly state: CallerState;
}

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

interface Sent {
  readonly query: string;
  readonly variables?: unknown;
}

/** Writes a document of the project's own GraphQL, sends it as the chosen caller and shows the answer. */
export function Explorer({ projectId, state }: ExplorerProps) {
  const url = `/projects/v1/${projectId}/graphql`;
  const { headers, caller } = state;
  const [document, setDocument] = useKept(`graphql-document ${projectId}`);
  const [variables, setVariables] = useKept(`graphql-variables ${projectId}`);
  const [answer, setAnswer] = useState<Answer>();
  const [fault, setFault] = useState<string>();
  const [pending, setPending] = useState(false);
  const sending = useRef(false);
  const { schema, note } = useSchema(url, headers);

  const send = async (body: Sent): Promise<Answer | undefined> => {
    const began = performance.now();
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, ms: Math.round(performance.now() - began), text: indentJson(text) };
    } catch {
      return undefined;
    }
  };
  const run = async () => {
    if (sending.current || headers === undefined) return;
    let given: unknown;
    try {
      given = variables.trim() === '' ? undefined : JSON.parse(variables);
    } catch {
      return setFault('The variables are no JSON.');
    }
    if (document.trim() === '') return setFault('Write a document first.');
    setFault(undefined);
    sending.current = true;
    setPending(true);
    const told = await send({ query: document, ...(given === undefined ? {} : { variables: given }) });
    sending.current = false;
    setPending(false);
    setAnswer(told);
    // GraphQL has no key under which a change is run once: the user has to look.
    if (told === undefined)
      setFault('The gateway did not answer. A mutation may have run: look at the rows before you send it again.');
  };
  return (
    <div className="api-explorer">
      <div className="api-explorer-ask">
        <Editor
          label="Document"
          language="graphql"
          value={document}
          onChange={setDocument}
          onRun={() => void run()}
          schema={schema}
          placeholder="A query; Ctrl and Space complete it"
          lines={14}
        />
        <Editor
          label="Variables"
          language="json"
          value={variables}
          onChange={setVariables}
          onRun={() => void run()}
          placeholder="{ } variables, as JSON"
          lines={3}
        />
        <div className="api-explorer-run">
          <Button
            variant="primary"
            icon={Play}
            isPending={pending}
            isDisabled={headers === undefined}
            onPress={() => void run()}
          >
            Send
          </Button>
          {headers === undefined && (
            <span className="quiet small">
              {caller === 'user' ? 'Sign in a test user first.' : 'Only owners may read the keys that this needs.'}
            </span>
          )}
          {fault !== undefined && (
            <span className="fault" role="alert">
              {fault}
            </span>
          )}
          {answer !== undefined && fault === undefined && (
            <span role="status" className="quiet small">{`${answer.status}, ${answer.ms} ms`}</span>
          )}
        </div>
      </div>
      <Editor
        label="Answer"
        language="json"
        value={answer?.text ?? ''}
        isReadOnly
        placeholder="The answer"
        lines={14}
      />
      <section className="api-docs" aria-label="Types">
        {schema === undefined ? <p className="quiet">{note}</p> : <TypeDocs schema={schema} />}
      </section>
    </div>
  );
}

/** A text that is kept in this browser while it is written, until its member signs out. */
function useKept(of: string): readonly [string, (text: string) => void] {
  const name = ownName(of);
  const [text, setText] = useState(() => recall(name) ?? '');
  return [
    text,
    (next) => {
      keep(name, next === '' ? null : next);
      setText(next);
    },
  ];
}

/** The schema that a caller sees; each role sees its own. */
function useSchema(url: string, headers: Readonly<Record<string, string>> | undefined) {
  const [found, setFound] = useState<{ readonly schema?: GraphQLSchema; readonly note: string }>({
    note: 'Loading the types…',
  });
  const asked = JSON.stringify(headers ?? null);
  useEffect(() => {
    let ended = false;
    const told = (next: typeof found) => !ended && setFound(next);
    const load = async () => {
      const given = JSON.parse(asked) as Readonly<Record<string, string>> | null;
      if (given === null) return told({ note: 'The types are shown once a key can be sent.' });
      try {
        const { buildClientSchema, getIntrospectionQuery } = await loadCode(() => import('graphql'));
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...given, 'content-type': 'application/json' },
          body: JSON.stringify({ query: getIntrospectionQuery() }),
        });
        const { data } = await response.json();
        if (data == null)
          return told({ note: 'This gateway does not tell its types: introspection is off in production.' });
        told({ schema: buildClientSchema(data), note: '' });
      } catch {
        told({ note: 'The types could not be loaded.' });
      }
    };
    void load();
    return () => {
      ended = true;
    };
  }, [url, asked]);
  return found;
}
