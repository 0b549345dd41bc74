import { useState } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { CodeBlock, CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { indentJson } from '../../design/indent-json.ts';
import { Section } from '../../design/section.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { useChange } from '../../graph/use-change.ts';
import { Link } from '../../router.tsx';
import { useDraft } from '../../use-draft.ts';
import { jsonFault } from '../json-fault.ts';
import { InvokeFunctionDocument, type InvokeFunctionMutation } from './functions.graphql.ts';

type CallAnswer = InvokeFunctionMutation['invokeFunction'];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

interface FunctionCallProps {
  readonly project: string;
  readonly name: string;
  readonly requireAuth: boolean;
}

/** Calls a function, and shows its answer whatever its status. What is typed is kept in this tab, but for the token. */
export function FunctionCall({ project, name, requireAuth }: FunctionCallProps) {
  const invoke = useChange(InvokeFunctionDocument);
  const draft = useDraft(`call ${project} ${name}`, { method: 'POST', query: '', headers: '', body: '' });
  const [token, setToken] = useState('');
  const [answer, setAnswer] = useState<CallAnswer>();
  const { method, query, headers, body } = draft.values;
  const headersFault = headers.trim() === '' ? undefined : jsonFault(headers)?.message;
  return (
    <>
      <Form
        label="Call"
        submit="Call function"
        isDisabled={headersFault !== undefined}
        error={invoke.error}
        labels={{ query: 'Query', headers: 'Headers', body: 'Body', access_token: 'Access token' }}
        send={async () => {
          const called = await invoke.run({
            project,
            name,
            method: method as Method,
            ...(query.trim() === '' ? {} : { query: query.trim().replace(/^\?/, '') }),
            ...(headers.trim() === '' ? {} : { headers: JSON.parse(headers) as Record<string, unknown> }),
            ...(body === '' ? {} : { body }),
            ...(token === '' ? {} : { accessToken: token }),
          });
          setAnswer(called?.invokeFunction);
          // The fields stay as they are, for the next call.
          return false;
        }}
      >
        <div className="function-call-line">
          <Select
            label="Method"
            options={methods.map((id) => ({ id, name: id }))}
            value={method}
            onChange={draft.field('method').onChange}
          />
          <TextField
            label="Query"
            placeholder="limit=5"
            autoComplete="off"
            spellCheck="false"
            {...draft.field('query')}
          />
        </div>
        <TextArea
          label="Headers"
          hint="As JSON, for example {&quot;accept&quot;: &quot;text/html&quot;}."
          rows={2}
          mono
          spellCheck="false"
          fault={headersFault}
          {...draft.field('headers')}
        />
        <TextArea label="Body" rows={5} mono spellCheck="false" {...draft.field('body')} />
        {requireAuth && (
          <TextField
            label="Access token"
            hint="Of the user who calls: the gate asks for one."
            type="password"
            value={token}
            onChange={setToken}
            autoComplete="off"
          />
        )}
      </Form>
      {answer != null && <Answered project={project} name={name} answer={answer} />}
    </>
  );
}

const moodOf = (status: number): Mood => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

interface AnsweredProps {
  readonly project: string;
  readonly name: string;
  readonly answer: NonNullable<CallAnswer>;
}

function Answered({ project, name, answer }: AnsweredProps) {
  const { status, requestId, headers, body, bodyBase64 } = answer;
  const lines = Object.entries(headers as Readonly<Record<string, string>>).map(([key, value]) => `${key}: ${value}`);
  return (
    <Section title="Answer">
      <Facts
        facts={[
          [
            'Status',
            <Badge key="status" mood={moodOf(status)}>
              {status}
            </Badge>,
          ],
          [
            'Request',
            <span key="request" className="function-copied">
              <Link to={`/projects/${project}/functions/${name}?tab=logs&call=${requestId}`}>
                <code>{requestId}</code>
              </Link>
              <CopyButton what="request id" text={requestId} isIcon />
            </span>,
          ],
        ]}
      />
      <CodeBlock title="Headers of the answer" code={lines.join('\n')} />
      {bodyBase64 === null ? (
        <CodeBlock title="Body of the answer" code={indentJson(body ?? '')} />
      ) : (
        <CodeBlock title="Body of the answer, in Base64" code={bodyBase64} />
      )}
    </Section>
  );
}
