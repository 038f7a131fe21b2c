// Vitest reporter: names every skipped test with its reason, then every test that passed only on a retry,
// then every failure, and ends with one line of counts, so that the end of a long log has the important parts.
// On CI a skip without a reason fails the run, unless tests were chosen by name.

export default class TestReport {
  onInit(vitest) {
    this.vitest = vitest;
  }

  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    const skipped = [];
    const unsteady = [];
    const failures = errors.map((error) => ({ name: 'outside of the tests', note: firstLines([error]) }));
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      // A hook or the file itself failed: no test did, but the run is not green.
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) {
        counts.failed += 1;
        failures.push({ name: module.relativeModuleId, note: firstLines(module.errors()) });
      }
      for (const test of tests) {
        const result = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        counts[result.state] += 1;
        if (result.state === 'skipped') skipped.push({ name, note: result.note });
        if (result.state === 'failed') failures.push({ name, note: firstLines(result.errors) });
        if (test.diagnostic()?.flaky) unsteady.push({ name, note: firstLines(result.errors ?? []) });
      }
    }
    if (!this.vitest.config.testNamePattern) this.explain(skipped);
    list('Passed only on a retry', unsteady);
    list('Failed', failures);
    const skips = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    const again = unsteady.length > 0 ? ` (${unsteady.length} only on a retry)` : '';
    process.stdout.write(`tests: ${counts.passed} passed${again}, ${counts.failed} failed${skips}\n`);
  }

  explain(skipped) {
    if (skipped.length === 0) return;
    list('Skipped', skipped);
    if (process.env.CI && skipped.some(({ note }) => !note)) {
      process.stdout.write("Every skip needs a reason: use `context.skip('reason')`.\n");
      process.exitCode = 1;
    }
  }
}

function list(title, entries) {
  if (entries.length === 0) return;
  process.stdout.write(`${title}:\n`);
  for (const { name, note } of entries) process.stdout.write(`  ${name}: ${note ?? 'NO REASON GIVEN'}\n`);
}

function firstLines(errors) {
  return errors.map(({ message }) => message.split('\n').slice(0, 6).join('\n    ')).join('\n    ');
}
