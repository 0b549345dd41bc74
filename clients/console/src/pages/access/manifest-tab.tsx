import { Loaded } from '../../design/loaded.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { ManifestDocument } from './access.graphql.ts';
import { ManifestEditor } from './manifest-editor.tsx';

interface ManifestTabProps {
  readonly projectId: string;
  readonly mayApply: boolean;
}

/** The manifest of a project, by form and by text. */
export function ManifestTab({ projectId, mayApply }: ManifestTabProps) {
  const answer = useAsk(ManifestDocument, { project: projectId });
  return (
    <Loaded answer={answer}>
      {({ project }) =>
        project?.expose != null && (
          <ManifestEditor
            projectId={projectId}
            mayApply={mayApply}
            manifest={project.expose.manifest}
            revision={project.expose.revision}
            isApplied={project.expose.source === 'APPLIED'}
            tables={project.tables ?? []}
            again={answer.again}
          />
        )
      }
    </Loaded>
  );
}
