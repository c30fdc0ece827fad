
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0023_rounds_in_the_background'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('import_items', 'import items'), ('make_design', 'make the design'), ('score', 'score'), ('export', 'prepare the download'), ('baselines', 'compute baselines'), ('train', 'train a model'), ('release', 'make a release'), ('compare', 'scores with and without people'), ('continue', 'take the items of the earlier round'), ('lexical', 'lexical statistics')], max_length=20),
        ),
    ]
