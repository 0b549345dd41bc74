import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Sure } from '../parts/sure.tsx';
import { ChangeProjectRedirectsDocument, ProjectRedirectsDocument } from './project-redirects.graphql.ts';

/** Shows and edits the URLs that sign-in may redirect browsers to, besides the project's own hosts. */
export function Redirects({ projectId }: { readonly projectId: string }) {
  const answer = useAsk(ProjectRedirectsDocument, { project: projectId });
  const change = useChange(ChangeProjectRedirectsDocument);
  return (
    <Card title="Redirect URLs">
      <p className="quiet">
        Sign-in may send users to these URLs and to all paths below them. The project’s own hosts and{' '}
        <code>http://localhost</code> need no entry.
      </p>
      <Loaded answer={answer}>
        {({ project }) =>
          project?.authSettings == null ? (
            <Empty title="Not available">You cannot read the sign-in settings of this project.</Empty>
          ) : (
            <>
              {project.authSettings.allowedRedirectUrls.length === 0 ? (
                <p>No redirect URLs yet.</p>
              ) : (
                <ul aria-label="Redirect URLs" className="stack">
                  {project.authSettings.allowedRedirectUrls.map((url) => (
                    <li key={url} className="line">
                      <code>{url}</code>
                      <CopyButton what={url} text={url} />
                      <Sure
                        really={`Remove ${url}`}
                        busy={change.busy}
                        run={() => change.run({ project: projectId, removeRedirectUrls: [url] })}
                      >
                        Remove<span className="seen-by-readers"> {url}</span>
                      </Sure>
                    </li>
                  ))}
                </ul>
              )}
              <Form
                label="Add a redirect URL"
                className="row"
                send={async (values) => {
                  const url = textOf(values, 'url');
                  return (await change.run({ project: projectId, addRedirectUrls: [url] })) !== undefined;
                }}
              >
                <Field label="URL" hint="https, or http on this machine. No wildcards: a path covers all below it.">
                  <input
                    name="url"
                    required
                    maxLength={2048}
                    inputMode="url"
                    autoComplete="off"
                    spellCheck={false}
                    placeholder="https://app.example.com/auth"
                  />
                </Field>
                <button type="submit" disabled={change.busy}>
                  Add
                </button>
              </Form>
            </>
          )
        }
      </Loaded>
      <ErrorNote error={change.error} labels={{ addRedirectUrls: 'URL' }} />
    </Card>
  );
}
