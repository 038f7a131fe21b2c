// The registry → metric families in Prometheus conventions: seconds, bytes, counters that only increase.

import type { Distribution } from './distribution.ts';
import type { Family, Sample } from './prometheus.ts';
import type { Registry } from './registry.ts';
import type { Gauges } from './snapshot.ts';
import type { Tally } from './tally.ts';

export function exposeRegistry(registry: Registry, { running, pending }: Gauges): readonly Family[] {
  const { all } = registry;
  return [
    gauge('hardshell_counting_since_seconds', 'Start of counting, in seconds since 1970.', registry.since / 1000),
    counter('hardshell_requests_total', 'Requests that have ended, by status.', tally(registry.statuses, ['status'])),
    counter('hardshell_executions_total', 'Commands that ran and have ended, by program and outcome.', [
      ...[...registry.types].flatMap(([type, { outcomes }]) => tally(outcomes, ['outcome'], { type })),
    ]),
    {
      name: 'hardshell_execution_seconds',
      help: 'How long commands ran, by program.',
      type: 'histogram',
      histograms: [...registry.types].map(([type, { times }]) => ({ labels: { type }, times })),
    },
    gauge('hardshell_running_executions', 'Currently running commands.', running),
    counter('hardshell_verdicts_total', 'Verdicts on commands.', tally(registry.verdicts, ['verdict', 'risk'])),
    histogram('hardshell_decision_seconds', 'How long analysis and decision took.', registry.decisionTimes),
    counter('hardshell_findings_total', 'Findings of checks, by layer.', tally(registry.findings, ['layer'])),
    counter('hardshell_threats_total', 'Threats found, by check.', tally(registry.threats, ['check'])),
    counter(
      'hardshell_false_positives_total',
      'Findings that were marked as wrong, by check.',
      tally(registry.falsePositives, ['check']),
    ),
    counter('hardshell_violations_total', 'Sandbox violations, by kind.', tally(registry.violations, ['kind'])),
    counter('hardshell_approval_requests_total', 'Verdicts that need an answer.', [value(registry.asked)]),
    counter('hardshell_approvals_total', 'Answers, by verdict and source.', tally(registry.answers, ['verdict', 'by'])),
    histogram('hardshell_approval_seconds', 'How long answers took.', registry.answerTimes),
    gauge('hardshell_pending_approvals', 'Requests that are waiting for an answer.', pending),
    counter('hardshell_starts_total', 'Started commands, by sandbox tier.', tally(registry.tiers, ['tier'])),
    histogram('hardshell_sandbox_creation_seconds', 'How long setting up the sandbox took.', registry.creationTimes),
    histogram(
      'hardshell_start_delay_seconds',
      'Time from the verdict or the answer to the start.',
      registry.startDelays,
    ),
    counter('hardshell_cpu_seconds_total', 'CPU time of commands.', [
      value(all.userMs / 1000, { mode: 'user' }),
      value(all.systemMs / 1000, { mode: 'system' }),
    ]),
    counter('hardshell_disk_bytes_total', 'Disk reads and writes of commands.', [
      value(all.readBytes, { direction: 'read' }),
      value(all.writeBytes, { direction: 'write' }),
    ]),
    counter('hardshell_network_bytes_total', 'Traffic of commands with other hosts, through the proxy.', [
      value(all.sentBytes, { direction: 'sent' }),
      value(all.receivedBytes, { direction: 'received' }),
    ]),
    counter('hardshell_output_bytes_total', 'Output of commands.', [value(all.outputBytes)]),
    counter(
      'hardshell_audit_verifications_total',
      'Verifications of the audit log, by result.',
      tally(registry.verifications, ['result']),
    ),
    gauge('hardshell_audit_problems', 'Problems found by the last verification.', registry.auditProblems),
    gauge(
      'hardshell_audit_verified_seconds',
      'Time of the last verification, in seconds since 1970.',
      registry.verifiedAt / 1000,
    ),
    gauge('hardshell_peak_memory_bytes', 'Maximum memory used by a command.', all.peakMemoryBytes ?? 0),
  ];
}

function value(count: number, labels: Sample['labels'] = {}): Sample {
  return { labels, value: count };
}

/** `labels` name the parts of the counted key. */
function tally(counts: Tally, labels: readonly string[], more: Sample['labels'] = {}): Sample[] {
  return counts.entries().map(([name, count]) => {
    const words = labels.length === 1 ? [name] : name.split(' ');
    return value(count, { ...more, ...Object.fromEntries(labels.map((label, at) => [label, words[at] ?? ''])) });
  });
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'counter', samples };
}

function gauge(name: string, help: string, count: number): Family {
  return { name, help, type: 'gauge', samples: [value(count)] };
}

function histogram(name: string, help: string, times: Distribution): Family {
  return { name, help, type: 'histogram', histograms: [{ labels: {}, times }] };
}
