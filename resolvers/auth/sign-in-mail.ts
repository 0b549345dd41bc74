import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { authSenderOf } from '../mailboxes/shared/auth-sender.ts';
import { keepInSandbox } from '../mailboxes/shared/sandbox.ts';
import { armChallenge, type Challenge, challengeMinutes } from './challenges.ts';
import { codeHashOf, linkHashOf, newCode, newLinkToken } from './mail-grant.ts';
import { isStillAllowed } from './redirects.ts';

/** The job that writes the mail of one challenge. */
export const signInMailTask = 'auth.mail';

const addJobStatement = statement(
  'auth.mail-job',
  { params: { task: typed<string>('text'), payload: typed<string>('json'), key: typed<string>('text') } },
  ({ task, payload, key }) =>
    sql`select from graphile_worker.add_job(${task}, ${payload}::json, job_key => ${key}, max_attempts => 5)`,
);

/**
 * Has the mail of a challenge written. Not at once: whether the address is anybody's decides whether it is sent, and
 * would otherwise show in how long the answer takes.
 */
export async function mailChallenge({ services }: Context, projectId: string, challengeId: string): Promise<void> {
  const payload = JSON.stringify({ projectId, challengeId });
  await services.db.rows(
    addJobStatement.with({ task: signInMailTask, payload, key: `${signInMailTask}:${challengeId}` }),
  );
}

/** The same, within the change that the challenge belongs to. */
export const mailChallengeWith = (work: Work, projectId: string, challengeId: string): Promise<void> =>
  work.addJob(signInMailTask, { projectId, challengeId }, { key: `${signInMailTask}:${challengeId}` });

/**
 * Makes the link and the code of a challenge and puts the mail into the outbox. They are made here, so that neither is
 * ever in a job; a job that is run again makes others, and those of the mail that never was are good for nothing.
 */
export const writeSignInMail: Task = async ({ ctx }, payload) => {
  const { projectId, challengeId } = payload as { projectId: string; challengeId: string };
  const { services } = ctx;
  const target = await findProjectTarget(services, projectId);
  const [token, code] = [newLinkToken(), newCode()];
  const asked = await armChallenge(services, target, challengeId, {
    link: linkHashOf(token),
    code: codeHashOf(services, challengeId, code),
  });
  if (asked === undefined) return;
  // The list may have changed since the mail was asked for: a link that may no longer be used is not sent.
  if (asked.redirect_url !== null && !(await isStillAllowed(services, target, asked.redirect_url))) return;
  const [project] = await services.db.rows(nameStatement.with({ id: projectId }));
  const mail = {
    to: asked.email,
    subject: subjects[asked.intent](project?.name ?? 'a project'),
    text: bodyOf(asked, token, code),
  };
  const { orgId, branch } = target;
  if (branch?.mail === 'off') return;
  await unitOfWork(ctx, async (work) => {
    // Users of a branch are those of its project, who know nothing of it. Mail to users made for tests never goes out.
    if (branch !== null && !mail.to.endsWith('.invalid')) await keepInSandbox(work, { orgId, projectId }, mail);
    else await queueMail(work, { orgId, mailboxId: await authSenderOf(work.rows, { orgId, projectId }), ...mail });
  });
};

const nameStatement = statement(
  'auth.project-name',
  { params: pick(projects, 'id'), row: pick(projects, 'name') },
  ({ id }, row) => sql`select ${row} from ${projects} where ${projects.id} = ${id}`,
);

const subjects: Readonly<Record<Challenge['intent'], (project: string) => string>> = {
  signin: (project) => `Sign in to ${project}`,
  invite: (project) => `You are invited to ${project}`,
  claim: (project) => `Confirm your address for ${project}`,
  recovery: (project) => `Recover your account of ${project}`,
};

function bodyOf({ delivery, redirect_url }: Challenge, token: string, code: string): string {
  const lines: string[] = [];
  if (delivery !== 'code' && redirect_url !== null) {
    const url = new URL(redirect_url);
    url.searchParams.set('token', token);
    lines.push('Open this link to go on:', '', url.href, '');
  }
  if (delivery !== 'link') lines.push(lines.length === 0 ? 'Your code:' : 'Or enter this code:', '', code, '');
  lines.push(
    `It is good once, for ${challengeMinutes} minutes. If you did not ask for this mail, nothing needs to be done.`,
  );
  return lines.join('\n');
}
