import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXProcessStatistics;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * ARX's local transformation of a CSV file, by the least Loss (its geometric mean, ARX's own).
 *
 * The first iteration is the best node that leaves at least one of so many parts of the rows unsuppressed; each further
 * one is the best node for the rows that are still suppressed, on the same condition, until none is found.
 *
 * Arguments: those of Request, with the number of parts in the place of the suppression limit. Properties: `kept`, a
 * column that is released as it is; `factor`, that of generalisation against suppression, from 0 (suppressed rows weigh
 * nothing) to 1, 0.5 where left out. Prints a line for each iteration that released something: its levels, in the order
 * of the columns, parted by spaces.
 */
public final class Local {

    private static final char PARTED_BY = ';';

    private Local() {
    }

    public static void main(final String[] given) throws Exception {
        final Data data = Data.create(new File(given[0]), StandardCharsets.UTF_8, given[1].charAt(0));
        final String[] columns = Request.define(data.getDefinition(), given);
        final String kept = System.getProperty("kept");
        if (kept != null) {
            data.getDefinition().setAttributeType(kept, AttributeType.INSENSITIVE_ATTRIBUTE);
        }
        final double part = 1d / Integer.parseInt(given[3]);

        final ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(Integer.parseInt(given[2])));
        asked.setSuppressionLimit(1d - part);
        asked.setQualityModel(Metric.createLossMetric(Double.parseDouble(System.getProperty("factor", "0.5"))));
        asked.setHeuristicSearchThreshold(Integer.MAX_VALUE);

        final ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        final ARXNode best = result.getGlobalOptimum();
        if (best == null) {
            throw new IllegalStateException("no node that passes");
        }
        final DataHandle released = result.getOutput(false);
        // Every iteration has its levels in this order.
        final List<String> order = Arrays.asList(best.getQuasiIdentifyingAttributes());
        print(columns, order, best.getTransformation());
        while (result.isOptimizable(released)) {
            final ARXProcessStatistics done = result.optimizeFast(released, part);
            if (done.getNumberOfSteps() == 0 || done.getStep(0).getNumberOfRecordsTransformed() == 0) {
                break;
            }
            print(columns, order, done.getStep(0).getTransformation());
        }
        released.save(new File(given[4]), PARTED_BY);
    }

    private static void print(final String[] columns, final List<String> order, final int[] levels) {
        final int[] given = Arrays.stream(columns).mapToInt(column -> levels[order.indexOf(column)]).toArray();
        System.out.println(Arrays.toString(given).replaceAll("[\\[\\],]", ""));
    }
}
